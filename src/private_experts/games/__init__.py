"""Algorithm meets stream: the game, and what it earned."""

from private_experts.games.play import play, private_reports
from private_experts.games.regret import (
    best_sequence,
    dynamic_regret,
    earned,
    interval_regret,
    static_regret,
    switches,
)

__all__ = [
    "best_sequence",
    "dynamic_regret",
    "earned",
    "interval_regret",
    "play",
    "private_reports",
    "static_regret",
    "switches",
]
