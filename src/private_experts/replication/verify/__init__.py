"""Recomputing claims: one here, many in processes of their own, and the reader's commands."""
