"""Algorithm meets stream: the game, and what it earned."""

from private_experts.games.play import play, private_reports
from private_experts.games.regret import earned, static_regret, switches

__all__ = ["earned", "play", "private_reports", "static_regret", "switches"]
