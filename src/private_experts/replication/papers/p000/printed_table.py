"""What the paper says in words about Table 2, checked on its figures. [mathematics/000.md#table-2-ratio]"""

from dataclasses import replace

from private_experts.replication.balls.balls import Ball, ball, near, precision, rational
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.study.published import TABLE_2
from private_experts.replication.study.statements import BEST_LINEAR, RATIO, RATIO_REGRET, ROUNDED, Statement

_META, _NOISE, _REGRET, _LINEAR = range(4)  # columns of the printed table


def table_2_printed_words(grid: Grid) -> list[Point]:
    """In every printed cell RW-Meta has its ratios and its lead; last digits were rounded or cut off."""
    compared = {
        RATIO.name: lambda: _ratios(RATIO, _NOISE, ROUNDED),
        RATIO_REGRET.name: lambda: _ratios(RATIO_REGRET, _REGRET, ROUNDED),
        BEST_LINEAR.name: lambda: _ratios(BEST_LINEAR, _LINEAR),
        "order of the gains": _order,
    }
    return labelled("statement", {name: compared[name]() for name in grid["statement"]})


def _ratios(statement: Statement, below: int, rounded: tuple[float, float] | None = None) -> list[Point]:
    """Return whether RW-Meta over another column lies in a band, or rounds into it if so given."""
    points = []
    with precision():
        for (state, mu), row in TABLE_2.items():
            ratio, printed = (read(row[_META]) / read(row[below]) for read in (as_printed, _exactly))
            # The paper's words may speak of rounded ratios: this is noted, but the band itself is what is
            # judged.
            notes = {"rounds into it": ratio.overlaps(ball(*map(_exactly, rounded)))} if rounded else {}
            for bound, sense in statement.ends():
                point = at_point({"state": state, "mu": mu}, ratio, ball(bound), notes, sense)
                # Shown is the ratio of the printed figures; the ball of all that they may stand for decides.
                points.append(replace(point, value=near(printed)))
    return points


def _order() -> list[Point]:
    """In every cell RW-Meta gains more than Min Noise, and Min Noise more than Min Regret."""
    points = []
    with precision():
        for (state, mu), row in TABLE_2.items():
            for leads, more, less in (("RW-Meta", _META, _NOISE), ("Min Noise", _NOISE, _REGRET)):
                lead = as_printed(row[more]) - as_printed(row[less])
                where = {"state": state, "mu": mu, "leads": leads}
                point = at_point(where, lead, ball(0), sense=">=")
                points.append(replace(point, value=near(_exactly(row[more]) - _exactly(row[less]))))
    return points


def _exactly(figure: float) -> Ball:
    return rational(repr(figure))


def as_printed(figure: float) -> Ball:
    """Return all numbers that a figure with two decimals may stand for: 0.005 below it to 0.01 above."""
    printed = _exactly(figure)
    # Wide enough for both: rounded, 0.005 to both sides; cut off, up to 0.01 above.
    return ball(printed - rational("0.005"), printed + rational("0.01"))
