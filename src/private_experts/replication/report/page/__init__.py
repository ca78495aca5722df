"""The reviewer's page: every claim with its verdict, evidence and command, in one self-contained file."""
