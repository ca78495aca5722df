"""Claims of the papers: what is said, how it is checked, what came of it, and how that is shown."""
