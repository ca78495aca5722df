"""Theorem 4.1 with a private rate: an efficient tracker for oblivious streams, up to a million rounds."""

import math
from itertools import product

from private_experts.algorithms.dartboard_parameters import DartboardParameters, theorem_2_regret
from private_experts.algorithms.dartboard_privacy import calibrated_parameters, dartboard_epsilon
from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.one_shift import out_of_draws, regret
from private_experts.replication.papers.p004.sequence_laws import sequence_laws

_BITS = 80
_COMPARED = 100_000  # rounds up to which the program's regret is compared for all steps and gaps
_SPENT = 0.999  # what calibrated steps spend of epsilon at least
_APART = 1e-8  # how far the program's regret may be from bounds that are 1e-9 apart


def parameters(
    law: str, n: int, horizon: int, switches: int, epsilon: float, delta: float
) -> DartboardParameters:
    """Return the dartboard's parameters for so many sequences."""
    required = guarantee(law, epsilon, delta)
    return DartboardParameters.for_guarantee(required, count_sequences(horizon, n, switches), horizon)


def guarantee(law: str, epsilon: float, delta: float) -> PureDP | ApproximateDP:
    """Return the guarantee of a tracker."""
    return PureDP(epsilon, "central") if law == "pure" else ApproximateDP(epsilon, delta, "central")


def regret_without_budget(n: int, horizon: int, switches: int, gap: float, eta: float) -> float:
    """Return the exact expected dynamic regret without chance, for a dartboard that may always draw."""
    losses = shifting("deterministic", equal_gaps(n, gap), horizon, switches).gaps
    return float((sequence_laws(losses, switches, -math.log1p(-eta)) * losses).sum())


def regret_bound(eta: float, p: float, horizon: int, sequences: int) -> Ball:
    """Return ``eta T + log |E| / eta + 2 T exp(-T p / 3)``."""
    return ball(eta) * horizon + log(ball(sequences)) / ball(eta) + 2 * horizon * exp(-horizon * ball(p) / 3)


@precision(_BITS)
def private_tracker(grid: Grid) -> list[Point]:
    """SwitchingDartboard's regret is at most eta T + log|E| / eta + 2 T exp(-T p / 3), at private eta and p.

    Up to its last draw it has the law of multiplicative weights over all sequences, which is computed for all
    rounds. Its last draw comes before the end with a probability that is a binomial tail, and costs at most
    T. All this is proved in spite of rounding. The program's regret, by another recursion, and its bound are
    compared with it. The level is that of the library's accounting. Steps are the literature's, or calibrated
    to that accounting, which makes the bound so many times smaller. Lazy is uniform play.
    """
    points, regrets, bounds = [], [], []
    for law, (horizon, n, switches), epsilon in product(grid["law"], grid["games"], grid["epsilon"]):
        assert switches == 1
        delta, sequences = 0.0 if law == "pure" else grid["delta"], count_sequences(horizon, n, switches)
        printed = parameters(law, n, horizon, switches, epsilon, grid["delta"])
        calibrated = calibrated_parameters(guarantee(law, epsilon, delta), printed)
        proved = {}
        for steps, (eta, p, budget, _) in {"theirs": printed, "calibrated": calibrated}.items():
            rate = -log(1 - ball(eta))
            exact = {gap: regret(n, horizon, gap, rate) for gap in grid["gap"]}
            for gap, true in exact.items():
                if horizon <= _COMPARED or (steps == "theirs" and gap == max(grid["gap"])):
                    regrets.append(abs(regret_without_budget(n, horizon, switches, gap, eta) / true - 1))
            exhausted = out_of_draws(horizon - 1, p + (1 - ball(p)) * eta, int(budget) - 1)
            proved[steps] = bound = regret_bound(eta, p, horizon, sequences)
            bounds.append(abs(theorem_2_regret(eta, p, horizon, sequences) / bound - 1))
            where = {"steps": steps, "privacy": law, "T": horizon, "N": n, "S": switches, "epsilon": epsilon}
            level = dartboard_epsilon(eta, p, budget, delta)
            notes = {"true_epsilon": level, "out_of_draws": near(exhausted)}
            value = largest(exact.values()) + horizon * exhausted
            lazy = max(grid["gap"]) * (1 - 1 / n) * horizon
            points.append(at_point(where, value, bound, notes, trivial=float(horizon), lazy=lazy))
            points.append(at_point({**where, "privacy": f"level, {law}"}, ball(level), ball(epsilon)))
        place, less = {**where, "privacy": f"level, {law}"}, proved["theirs"] / ball(grid["smaller"][law])
        points.append(at_point(place, ball(level), _SPENT * ball(epsilon), sense=">="))
        place = {**where, "privacy": f"bound, {law}"}
        points.append(at_point(place, proved["calibrated"], less, trivial=float(horizon)))
    for name, differences in {"program's regret": regrets, "program's bound": bounds}.items():
        where = {"steps": "both", "privacy": name, "T": 0, "N": 0, "S": 0, "epsilon": 0.0}
        points.append(at_point(where, largest(differences), ball(_APART)))
    return points


def batched(horizon: int, epsilon: float, delta: float, batch: int) -> DartboardParameters:
    """Return Corollary 6's parameters at another batch size. [mathematics/001.md#dartboard-corollary-6]"""
    p = (batch / (horizon * math.log(1 / delta))) ** (1 / 3)
    return DartboardParameters(batch * p * epsilon / 40, p, int(4 * horizon * p / batch), batch)


@precision(_BITS)
def batched_tracker(grid: Grid) -> list[Point]:
    """With batches the tracker is private at the same level, and its proved dynamic regret is smaller.

    Where the shift comes between two batches the game is one of ``T / batch`` rounds, each counted so often.
    The bound is that without batches, less what switches inside a batch could cost. With calibrated steps it
    is below that without batches, calibrated as well, in the cells that are named, and in all below that of
    the literature's steps. Lazy is uniform play.
    """
    points = []
    for where, horizon, n, epsilon, batch in cells_of(grid, "T", "N", "epsilon, batch"):
        assert horizon % (2 * batch) == 0
        rounds, delta = horizon // batch, grid["delta"]
        required, sequences = guarantee("approximate", epsilon, delta), count_sequences(rounds, n, 1)
        plain = parameters("approximate", n, horizon, 1, epsilon, delta)
        printed = batched(horizon, epsilon, delta, batch)
        steps = {
            "theirs": (plain, printed),
            "calibrated": (calibrated_parameters(required, plain), calibrated_parameters(required, printed)),
        }
        proved = {}
        for name, (without, (eta, p, budget, _)) in steps.items():
            most = regret_bound(without.eta, without.p, horizon, count_sequences(horizon, n, 1))
            proved[name] = ball(theorem_2_regret(eta, p, horizon, sequences, batch)) + batch
            exhausted = out_of_draws(rounds - 1, p + (1 - ball(p)) * eta, int(budget) - 1)
            lost = largest(regret(n, rounds, gap, -log(1 - ball(eta))) * batch for gap in grid["gap"])
            level = dartboard_epsilon(eta, p, budget, delta, batch)
            lazy, played = max(grid["gap"]) * (1 - 1 / n) * horizon, lost + horizon * exhausted
            place = {**where, "steps": name}
            points.append(
                at_point({**place, "what": "regret"}, played, proved[name], trivial=float(horizon), lazy=lazy)
            )
            if name == "theirs" or [epsilon, batch] in grid["ahead"]:
                points.append(
                    at_point({**place, "what": "bound"}, proved[name], most, trivial=float(horizon))
                )
            points.append(at_point({**place, "what": "epsilon"}, ball(level), ball(epsilon)))
        if eta < p:  # else p holds the step, and not the level
            points.append(
                at_point({**place, "what": "spent"}, ball(level), _SPENT * ball(epsilon), sense=">=")
            )
        place = {**place, "what": "bound, theirs"}
        points.append(at_point(place, proved["calibrated"], proved["theirs"], trivial=float(horizon)))
    return points


def corollary_4_1_1(grid: Grid) -> list[Point]:
    """With |E| sequences for N experts Proposition 1's terms are within twice those of Corollary 4.1.1."""
    points = []
    for where, n, horizon, switches in cells_of(grid, "N", "T", "S"):
        sequences = math.log(count_sequences(horizon, n, switches))
        short = switches * math.log(n * horizon)
        points.append(Point({**where, "term": "root"}, math.sqrt(sequences / short), math.sqrt(2)))
        points.append(Point({**where, "term": "privacy"}, sequences / short, 2.0))
    return points
