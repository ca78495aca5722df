"""The reviewer's page: every claim with its verdict, evidence and command, in one file that needs nothing else."""
