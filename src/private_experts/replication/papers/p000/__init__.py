"""Checks of *Prediction with Expert Advice under Local Differential Privacy*."""
