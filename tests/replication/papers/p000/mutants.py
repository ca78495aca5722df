"""Algorithms that are wrong in one way, which several checks have to catch."""

from typing import Any

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation


def floored(share: float) -> type[Decorrelation]:
    """Return a rule that has a floor of so many times t, in the place of 2t."""

    class Floored(Decorrelation):
        def level(self, covariance: Any, t: int) -> Any:
            return np.maximum(np.linalg.eigvalsh(covariance)[..., -1], share * t)

    return Floored


def louder(factor: float) -> type[Decorrelation]:
    """Return a rule that draws so many times the noise."""

    class Louder(Decorrelation):
        def draw(self, *arguments: Any) -> Any:
            return factor * super().draw(*arguments)

    return Louder


def deaf(player: type) -> type:
    """Return an algorithm that hears no report."""
    return type("Deaf", (player,), {"update": lambda self, report: None})
