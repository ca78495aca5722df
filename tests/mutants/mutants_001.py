"""Mutants of what draws in paper 001's algorithms."""

from tests.mutants.mutant import Mutant

MUTANTS: dict[str, Mutant] = {}
