"""Algorithm meets stream: the game, and what it earned."""

from typing import TYPE_CHECKING

from private_experts.games.play import play, private_reports  # at once: later, `play` would be the module
from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.games import streams
    from private_experts.games.adaptive import FavouriteAdversary, PairsAdversary, play_adaptively
    from private_experts.games.late_reports import late
    from private_experts.games.named_experts import NamedExperts
    from private_experts.games.regret import (
        best_sequence,
        best_total,
        dynamic_regret,
        earned,
        interval_regret,
        static_regret,
        switches,
    )
    from private_experts.games.regret_by_level import Trial, experiment, plot_regret, regret_summary
    from private_experts.games.trend_meta import TrendMeta

attach(__name__)

__all__ = [
    "FavouriteAdversary",
    "NamedExperts",
    "PairsAdversary",
    "TrendMeta",
    "Trial",
    "best_sequence",
    "best_total",
    "dynamic_regret",
    "earned",
    "experiment",
    "interval_regret",
    "late",
    "play",
    "play_adaptively",
    "plot_regret",
    "private_reports",
    "regret_summary",
    "static_regret",
    "streams",
    "switches",
]
