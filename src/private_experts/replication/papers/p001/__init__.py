"""Checks of the claims about Improved Differentially Private and Lazy Online Convex Optimization."""
