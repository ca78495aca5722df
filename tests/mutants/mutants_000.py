"""Mutants of what draws in paper 000's algorithms."""

from tests.mutants.mutant import Mutant

MUTANTS: dict[str, Mutant] = {}
