"""One algorithm per file; all share `predict` and `update`."""
