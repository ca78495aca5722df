"""Theorem to evidence: each function turns one claim's grid into points; one package a paper."""
