"""One algorithm on one state's panel."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.files import write_text
from private_experts.stages.shared import read_game

if TYPE_CHECKING:
    from private_experts.hospital.study import Family, Play


def _record(plays: Iterable["Play"], state: str, totals: Path, curves: Path) -> None:
    """Write every repetition's total, and every play's mean cumulative gain by week."""
    total_rows, curve_rows = ["state,algorithm,mu,repetition,total,switches"], ["state,algorithm,mu,week,gain"]
    for play in plays:
        name = f"{state},{play.algorithm},{play.mu!r}"
        sums = play.earned.sum(axis=0).tolist()
        total_rows += [
            f"{name},{r},{s!r},{n}" for r, (s, n) in enumerate(zip(sums, play.switches.tolist(), strict=True))
        ]
        mean = play.earned.mean(axis=1).cumsum().tolist()
        curve_rows += [f"{name},{week},{gain!r}" for week, gain in enumerate(mean, start=1)]
    write_text(totals, "\n".join(total_rows) + "\n")
    write_text(curves, "\n".join(curve_rows) + "\n")


def rw_ftpl(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play RW-FTPL on a panel."""
    from private_experts.hospital import study

    game = read_game(panel, state, **settings)
    _record(study.rw_ftpl(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def rw_meta(
    panel: Path,
    state: str,
    totals: Path,
    curves: Path,
    family: "Family",
    windows: Sequence[int],
    strengths: Mapping[str, float],
    **settings: Any,
) -> None:
    """Play RW-Meta in all its variants, and its learners, on a panel."""
    from private_experts.hospital import study

    game = read_game(panel, state, **settings)
    plays = study.rw_meta(game, family, windows, tuple(strengths.items())) if game.gains.shape[1] > 1 else []
    _record(plays, state, totals, curves)


def tree_ftpl(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play the dyadic-tree baseline on a panel."""
    from private_experts.hospital import study

    game = read_game(panel, state, **settings)
    _record(study.tree_ftpl(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def yardsticks(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play follow-the-leader and uniform choice on a panel."""
    from private_experts.hospital import study

    game = read_game(panel, state, **settings)
    _record(study.yardsticks(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def private_leaders(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play the algorithms of papers 002 and 004 on a panel."""
    from private_experts.hospital import curators

    game = read_game(panel, state, **settings)
    _record(curators.private_leaders(game) if game.gains.shape[1] > 1 else [], state, totals, curves)
