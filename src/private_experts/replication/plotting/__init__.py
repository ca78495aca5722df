"""The kit of all figures and tables: looks, formats, numbers, LaTeX."""
