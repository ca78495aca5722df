"""Private online learning with expert advice, and a replication of the five papers it comes from."""

__version__ = "0.2.0"  # the one place; the wheel, the command and CITATION.cff follow it
