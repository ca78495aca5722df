"""Checks of *Online Distribution Learning with Local Private Constraints*."""
