"""The commands of README on a system that has nothing: `make test-bare`."""
