"""Noise on each hospital's own count, beside the paper's noise for the smallest hospital of the week."""
