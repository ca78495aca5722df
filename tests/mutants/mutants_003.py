"""Mutants of what draws in paper 003's algorithms."""

import pytest

from private_experts.distribution_learning.scaling import Scaling
from tests.mutants.mutant import Mutant


def no_noise(put: pytest.MonkeyPatch) -> None:
    """Neither report carries any noise."""
    laplace = Scaling.laplace
    put.setattr(Scaling, "laplace", lambda self, *given, **more: 0 * laplace(self, *given, **more))


MUTANTS: dict[str, Mutant] = {}
