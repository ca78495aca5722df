"""The study on a Slurm of this machine: `make test-slurm`."""
