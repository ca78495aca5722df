"""Experts that learn: forecasts of every expert's next gain from noisy reports."""
