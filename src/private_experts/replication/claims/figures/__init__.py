"""Figures drawn from the evidence of claims, one module a paper."""
