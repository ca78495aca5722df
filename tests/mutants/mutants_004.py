"""Mutants of what draws in paper 004's algorithms."""

from tests.mutants.mutant import Mutant

MUTANTS: dict[str, Mutant] = {}
