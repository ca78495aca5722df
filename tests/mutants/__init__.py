"""Programs that protect nobody, or learn nothing: each must be noticed by a claim and by a fast test."""
