"""Figures, tables, manifest and summary."""
