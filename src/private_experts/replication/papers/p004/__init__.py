"""Checks of *Tracking the Best Expert Privately*."""
