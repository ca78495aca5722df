"""Figures drawn from the evidence of claims, with one module for each paper."""
