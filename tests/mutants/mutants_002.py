"""Mutants of what draws in paper 002's algorithms."""

from tests.mutants.mutant import Mutant

MUTANTS: dict[str, Mutant] = {}
