"""The softmax of whole blocks has the optimal rate on every stream. [mathematics/002.md#whole-blocks]"""

from private_experts.replication.balls.balls import Ball, ball, exp, log1p, sqrt
from private_experts.replication.balls.boxes import over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p002.gap_regret import theorem_1

FAR, LATE = 64, 8  # c and kappa of the proof
_TERMS = 6  # of the sums over blocks; the terms left out are below 1e-30 for two actions
_REST = 1e-30


def whole_blocks(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The pseudo-regret of the softmax of whole blocks is at most A log K / Delta_min + B log K / eps + 1."""
    return theorem_1(grid, repetitions, seed, "whole block", 1.0)


def roots() -> Ball:
    """Return ``1 / (1 - 1 / sqrt 2)``: so many times its last term is a sum of roots of powers of 2."""
    return 1 / (1 - 1 / sqrt(ball(2)))


def bad(log_k: Ball, weight: int) -> Ball:
    """Return ``(K - 1) sum_j weight^j K^(-2^j c / 32)``, for far actions that deviate."""
    terms = (weight**j * exp((1 - ball(FAR) / 32 * 2**j) * log_k) for j in range(_TERMS))  # K for K - 1
    return sum(terms, ball(_REST)) * (1 - exp(-log_k))


def per_gap(log_k: Ball) -> tuple[Ball, Ball]:
    """Return the constant of log K / Delta_min, and 540."""
    return 2 * FAR * roots() + 4 * FAR * bad(log_k, 2), ball(540)


def per_level(log_k: Ball) -> tuple[Ball, Ball]:
    """Return the constant of log K / epsilon, and 72."""
    first = ball(128) / 25 / FAR  # of log K / epsilon^2: from here on exponents of new actions are log K
    early = 8 * (1 + roots() * sqrt(LATE * first / 2))
    others = 1 - exp(-log_k)  # (K - 1) / K
    begins = log1p(others * exp((1 - sqrt(ball(LATE) / 2)) * log_k))
    new = others * exp((1 - sqrt(ball(LATE))) * log_k)
    return early + 32 * (begins + new + 2 * bad(log_k, 1)) / log_k, ball(72)


def whole_blocks_constants(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The constants of the proof are at most 540 and 72, for all K from 2 to e^60 as real numbers."""
    box = {"log_k": widened(*grid["log_K"])}
    return [over_box({"constant": each.__name__}, each, box) for each in (per_gap, per_level)]
