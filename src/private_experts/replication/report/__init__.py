"""What a run is shown and kept as: page, explorer, notebook, LaTeX, manifest, archive."""
