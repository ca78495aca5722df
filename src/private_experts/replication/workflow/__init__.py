"""One run of the workflow: its config, what is stale, the command, the manifest, the notebook, the report."""
