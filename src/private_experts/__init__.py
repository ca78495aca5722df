"""Private online learning with expert advice, and a replication of the five papers it comes from."""
