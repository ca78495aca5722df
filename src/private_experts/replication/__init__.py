"""The replication: the hospital study, the claims of the papers, and the run that makes all of it."""
