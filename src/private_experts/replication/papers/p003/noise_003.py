"""What users' programs really draw: reports that `play_labels` and sums that `play_long` gave to learners."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from private_experts.arrays import Array, Ints
from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.ask_comparison import AskComparison
from private_experts.distribution_learning.centred import CentredCoordinate
from private_experts.distribution_learning.game import play_labels
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.distribution_learning.label_learner import Mechanism, asks
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.posterior import ResponsePosterior
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.sign_design import SignDesign
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import (
    LAPLACE,
    NORMAL,
    UNIFORM,
    attack_points,
    digit_points,
    event_points,
    law_points,
    noise_points,
)
from private_experts.replication.papers.p003.digits_003 import DIGITS
from private_experts.replication.papers.p003.recorded_labels import RecordedMechanism
from private_experts.replication.papers.p003.report_laws import (
    LaplaceReports,
    Outcomes,
    evidence,
    evidence_law,
    evidence_of_a_set,
    label_channel,
    laplace_sums,
    report_worth,
    sure,
)

_DELTA = 1e-5
# Twice the number of calls about noise, and a bit more than twice that about outcomes: together they are
# joint.
_NOISES, _OUTCOMES = 40, 5000
_ALONE = 6000  # users who report one by one
_ROUNDING = 1e-9
_NO_SUM = 10**6  # an outcome that no sum of reports has
_LABELS: dict[str, Callable[..., Mechanism]] = {
    kind.__name__: kind
    for kind in (
        RandomizedResponse,
        ResponsePosterior,
        SubsetSelection,
        HadamardResponse,
        SignDesign,
        AskComparison,
    )
}
_COORDINATES = {kind.__name__: kind for kind in (NoisyCoordinate, CentredCoordinate)}


def noisy(name: str, grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Reports of log-likelihoods with Laplace noise: the noise, whole reports, sums over many rounds."""
    rng = rng_for(seed, "drawn noise", name, repetitions)
    # A mean size has a wider interval than a share; a vector has several numbers.
    yield from _noise(name, grid, (2 if name == "NoisyVector" else 4) * repetitions, rng)
    yield from _noise_alone(name, grid, rng)
    yield from _lottery(name, grid, rng)
    # At the second level noise hides nothing, so that outcomes show the cells that users draw.
    for level, horizon in ((grid["eps"][name], grid["T"]), (grid["eps_of_cells"][name], grid["T_of_cells"])):
        mechanism = _noisy_mechanism(name, level, horizon)
        yield _level({"mechanism": name, "eps": level, "T": horizon}, mechanism)
        laws = _stated(name, level, horizon)
        games = _games(mechanism, sure(2), repetitions, rng)
        for source, law in laws.items():
            where = {"mechanism": name, "eps": level, "T": horizon, "drawn": source}
            kept = [game.reports if source == "reports" else game.sums[1:] for game in games[source]]
            sides = [np.array([law.outcomes(reports) for reports in losses]).T for losses in kept]
            for label, side in enumerate(sides):
                place = {**where, "label": label}
                yield from outcome_points(place, side, law.law(label), grid)
            if level == grid["eps"][name]:
                # Composition proves twice a number's level for a vector of two, and needs no delta.
                stated = PureDP(2 * law.level if law.vector else level, "local")
                first, second = sides
                yield from attack_points(
                    where, first, second, stated, least=grid["least"], most=grid["most"], cells=_OUTCOMES
                )
            played, learner = games[source][0], laws["sums"]
            learnt = [learner.learnt_from(reports) for reports in played.reports] or played.sums
            yield _prediction(where, np.array(learnt), played.predictions, learner.rate, learner.mixture())


def _noise(name: str, grid: Grid, repetitions: int, rng: np.random.Generator) -> Iterator[Point]:
    """Noise where all labels have the same log-likelihoods, so that reports less these are nothing else."""
    level, experts = grid["eps"][name], grid["K"]
    flat = np.full((experts, 4), 0.25)
    games = {"reports": grid["T"], "sums": grid["T_of_sums"], "long sums": grid["T_of_long_sums"]}
    for source, horizon in games.items():
        law = _stated(name, level, horizon, experts)["reports" if source == "reports" else "sums"]
        played = RecordedMechanism(_noisy_mechanism(name, level, horizon, experts))
        if source == "reports":
            rounds = np.broadcast_to(flat, (horizon, *flat.shape))
            play_labels(played, rounds, truth=0, repetitions=repetitions, rng=rng)
            losses, counts = np.array(played.reports), np.ones((horizon, repetitions), dtype=np.int64)
        else:
            _play_stretches(played, flat, 0, repetitions, rng)
            losses, counts = np.array(played.sums[1:]), np.array(played.rounds[1:])
        if not law.vector:
            # Of one coordinate the number of reports is random, of all together it is known.
            losses = losses.sum(axis=2, keepdims=True)
        noise = law.log_likelihoods(losses, counts[..., None]) / law.scale  # (rounds, copies, coordinates)
        if source == "long sums":  # normal, but for 0.01 in sums of 10^4, by the theorem of Berry and Esseen
            noise = noise / np.sqrt(2 * counts[..., None])
        if source == "sums":  # sums of different numbers of variables, on one scale
            noise = (
                np.array([laplace_sums(*sample) for sample in zip(noise, counts[..., None], strict=True)])
                - 0.5
            )
        where = {"mechanism": name, "eps": level, "T": horizon, "K": experts, "drawn": source}
        one = {"reports": LAPLACE, "sums": UNIFORM, "long sums": NORMAL}[source]
        yield from noise_points(where, noise.swapaxes(0, 1), one, slack=grid["slack"], cells=_NOISES)
        if source == "reports" and not law.vector:
            shown = np.array([(vectors != 0).argmax(axis=1) for vectors in played.reports])
            yield from law_points(
                {**where, "drawn": "the number that is reported"},
                shown.ravel(),
                dict.fromkeys(range(experts), 1 / experts),
                slack=grid["slack_of_events"],
                cells=_OUTCOMES,
            )


def _noise_alone(name: str, grid: Grid, rng: np.random.Generator) -> Iterator[Point]:
    """Noise of users who report one by one, as on their own devices."""
    level, experts, horizon = grid["eps"][name], grid["K"], grid["T"]
    mechanism, law = (
        _noisy_mechanism(name, level, horizon, experts),
        _stated(name, level, horizon, experts)["reports"],
    )
    flat, label = np.full((experts, 2), 0.5), np.zeros(1, dtype=np.intp)
    losses = np.concatenate([mechanism.privatize(label, flat, rng).values for _ in range(_ALONE)])
    noise = (law.log_likelihoods(losses, losses != 0) / law.scale)[losses != 0]
    where = {"mechanism": name, "eps": level, "T": horizon, "K": experts, "drawn": "one by one"}
    yield from noise_points(
        where, noise.reshape(-1, 1, 1), LAPLACE, slack=grid["slack_of_users"], cells=_NOISES
    )
    if not law.vector:
        place = {**where, "drawn": "the number that is reported, one by one"}
        shown, equal = (losses != 0).argmax(axis=1), dict.fromkeys(range(experts), 1 / experts)
        yield from law_points(place, shown, equal, slack=grid["slack_of_users"] / 2, cells=_OUTCOMES)
    # In so short a game half of the users draw a cell of all.
    level, horizon = grid["eps_of_cells"][name], grid["T_of_cells"]
    mechanism, law = _noisy_mechanism(name, level, horizon), _stated(name, level, horizon)["reports"]
    made = [mechanism.privatize(label, sure(2), rng).values for _ in range(_ALONE // 3)]
    where = {"mechanism": name, "eps": level, "T": horizon, "drawn": "cells, one by one"}
    outcomes = law.outcomes(np.concatenate(made))
    yield from law_points(where, outcomes, law.law(0), slack=grid["slack_of_users"] / 2, cells=_OUTCOMES)


def _lottery(name: str, grid: Grid, rng: np.random.Generator) -> Iterator[Point]:
    """How often a user draws a cell of another label, in a game so long that this is seldom."""
    level, horizon = grid["eps_of_cells"][name], grid["T_of_lottery"]
    games = _games(_noisy_mechanism(name, level, horizon), sure(2), _ALONE // 4, rng, truths=(0,))
    for source, law in _stated(name, level, horizon).items():
        (played,) = games[source]
        losses = played.reports if source == "reports" else played.sums[1:]
        stated = law.law(0)
        seldom = [outcome for outcome, chance in stated.items() if chance < 10 / horizon]
        moved = np.isin([law.outcomes(vector) for vector in losses], seldom).astype(np.int64)
        chance = sum(stated[outcome] for outcome in seldom)
        where = {"mechanism": name, "eps": level, "T": horizon, "drawn": f"cells of another label, {source}"}
        # So seldom that only a share of it says something: a third may be missing, and half may not.
        of_cells = {0: 1 - chance, 1: chance}
        yield from law_points(where, moved.ravel(), of_cells, slack=chance / 3, cells=_OUTCOMES)


def labels(name: str, grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Reports of labels: their law, and that of what many of them say."""
    rng = rng_for(seed, "drawn labels", name, repetitions)
    size, level, horizon = grid["M"][name], grid["eps"][name], grid["T"]
    mechanism = _label_mechanism(name, grid, horizon)
    yield _level({"mechanism": name, "eps": level, "T": horizon}, mechanism)
    stated = PureDP(level, "local")
    channel, worth = label_channel(name, size, level), report_worth(name, size, level, horizon)
    games = _games(mechanism, sure(size), repetitions, rng)
    for source, kept in games.items():
        where = {"mechanism": name, "eps": level, "T": horizon, "drawn": source}
        if source == "reports":
            sides = [np.array([_codes(values) for values in game.reports]).T for game in kept]
            laws: list[Outcomes] = [
                {report: float(chances[label]) for report, chances in channel.items()} for label in (0, 1)
            ]
            # What a report says of the second distribution, against the first.
            worth_of = {report: evidence(chances) * worth for report, chances in channel.items()}
            # A report that the law lacks says nothing; its outcome fails.
            evidence_of = np.array([[worth_of.get(code, 0.0) for code in row] for row in sides[0].T.tolist()])
            losses = np.stack([evidence_of, 0 * evidence_of], axis=2)
        else:
            sides = [np.array([_balance(values, worth) for values in game.sums[1:]]).T for game in kept]
            laws = [evidence_law(channel, label, 1) for label in (0, 1)]
            losses = np.array(kept[0].sums)
        for label in (0, 1):
            place = {**where, "label": label}
            yield from outcome_points(place, sides[label], laws[label], grid)
        first, second = sides
        yield from attack_points(
            where, first, second, stated, least=grid["least"], most=grid["most"], cells=_OUTCOMES
        )
        smoothed = 1 / horizon if name == "RandomizedResponse" else 0.0
        mixture = (1 - smoothed) * sure(size) + smoothed / size
        rate = math.sqrt(2 * math.log(2) / horizon) if name == "RandomizedResponse" else 1.0
        yield _prediction(where, losses, kept[0].predictions, rate, mixture)
    if not asks(mechanism):
        yield from _many_reports(name, grid, repetitions, rng)
    yield from _reports_alone(name, grid, rng)
    yield from _more_labels(name, grid, repetitions, rng)
    if name == "SubsetSelection":
        yield from _sets_in_parts(grid, rng)
    elif isinstance(mechanism, RandomizedResponse):  # which draws counts of reports, however many
        yield from _long_sums(name, grid, 4 * repetitions, rng)


def _reports_alone(name: str, grid: Grid, rng: np.random.Generator) -> Iterator[Point]:
    """Reports of users who report one by one, as on their own devices."""
    size, level, horizon = grid["M"][name], grid["eps"][name], grid["T"]
    mechanism, channel, label = _label_mechanism(name, grid, horizon), label_channel(name, size, level), 1
    predictions = (sure(size).mean(axis=0)[None],) if asks(mechanism) else ()
    made = [
        mechanism.privatize(np.array([label]), sure(size), rng, *predictions).values for _ in range(_ALONE)
    ]
    law = {report: float(chances[label]) for report, chances in channel.items()}
    where = {"mechanism": name, "eps": level, "T": horizon, "label": label, "drawn": "one by one"}
    outcomes = _codes(np.concatenate(made))
    yield from law_points(where, outcomes, law, slack=grid["slack_of_users"] / 2, cells=_OUTCOMES)
    yield from _false_reports({**where, "drawn": "lies, one by one"}, outcomes, channel, grid)


def _false_reports(
    where: Mapping[str, Any], outcomes: Ints, channel: Mapping[int, Array], grid: Grid
) -> Iterator[Point]:
    """Of few users, or many labels, an event that is known beforehand shows more: another label's reports."""
    label = where["label"]
    false_reports = [report for report, chances in channel.items() if chances[label] < chances.max()]
    chance = sum(float(channel[report][label]) for report in false_reports)
    false = np.isin(outcomes, false_reports).astype(np.int64)
    law = {0: 1 - chance, 1: chance}
    yield from law_points(where, false, law, slack=grid["slack_of_lies"], cells=_OUTCOMES)


def _more_labels(name: str, grid: Grid, repetitions: int, rng: np.random.Generator) -> Iterator[Point]:
    """Reports of the last of more labels, so that sets of them have three."""
    size, level, horizon = grid["M_of_more"], grid["eps"][name], 2
    mechanism = _LABELS[name](2, PureDP(level, "local"), labels=size, horizon=horizon)
    played = RecordedMechanism(mechanism)
    # Answers are to questions about labels that may be true: the channel lists those about the first two.
    last, channel = 1 if isinstance(mechanism, LabelAnswers) else size - 1, label_channel(name, size, level)
    rounds = np.broadcast_to(np.eye(size)[[0, last]], (horizon, 2, size))
    play_labels(played, rounds, truth=1, repetitions=4 * repetitions, rng=rng)
    law = {report: float(chances[last]) for report, chances in channel.items()}
    where = {"mechanism": name, "eps": level, "T": horizon, "M": size, "label": last, "drawn": "reports"}
    outcomes = np.array([_codes(reports) for reports in played.reports]).T
    yield from _false_reports({**where, "drawn": "lies"}, outcomes.ravel(), channel, grid)
    for t in range(horizon):
        place = {**where, "rounds": f"{t + 1}"}
        yield from event_points(place, outcomes[:, t], law, slack=grid["slack_of_events"], cells=_OUTCOMES)


def _sets_in_parts(grid: Grid, rng: np.random.Generator) -> Iterator[Point]:
    """Sums of so many sets of so many labels that users are drawn in parts: each part is a new one."""
    size, level, users = grid["M_of_parts"], grid["eps"]["SubsetSelection"], grid["users_of_parts"]
    mechanism = SubsetSelection(2, PureDP(level, "local"), labels=size, horizon=3)
    played = RecordedMechanism(mechanism)
    play_long(played, sure(size), truth=1, repetitions=users, rng=rng, strata=3, power=1)
    outcomes = np.array([_balance(sums, level) for sums in played.sums[1:]]).T
    where = {"mechanism": "SubsetSelection", "eps": level, "T": 3, "M": size, "label": 1, "drawn": "sums"}
    yield from outcome_points(where, outcomes, evidence_of_a_set(size, level, 1), grid)


def _many_reports(name: str, grid: Grid, repetitions: int, rng: np.random.Generator) -> Iterator[Point]:
    """Sums over several reports: how many more of them speak for the second distribution."""
    size, level, horizon = grid["M"][name], grid["eps"][name], grid["T_of_sums"]
    channel, worth = label_channel(name, size, level), report_worth(name, size, level, horizon)
    played = RecordedMechanism(_label_mechanism(name, grid, horizon))
    _play_stretches(played, sure(size), 1, repetitions, rng)
    for stretch, (counts, sums) in enumerate(zip(played.rounds[1:], played.sums[1:], strict=True), start=2):
        # Numbers of rounds are known, so the law of an outcome is the mean over them.
        law: dict[int, float] = {}
        for count, times in zip(*np.unique(counts, return_counts=True), strict=True):
            for outcome, chance in evidence_law(channel, 1, int(count)).items():
                law[outcome] = law.get(outcome, 0.0) + chance * float(times) / counts.size
        where = {"mechanism": name, "eps": level, "T": horizon, "drawn": "sums", "label": 1}
        where["rounds"] = f"stretch {stretch}"
        yield from law_points(
            where, _balance(sums, worth), law, slack=grid["slack_of_outcomes"], cells=_OUTCOMES
        )


def _long_sums(name: str, grid: Grid, repetitions: int, rng: np.random.Generator) -> Iterator[Point]:
    """Sums over so many reports that how many more speak for the second distribution is normal."""
    size, level, horizon = grid["M"][name], grid["eps"][name], grid["T_of_long_sums"]
    one = evidence_law(label_channel(name, size, level), 1, 1)
    mean, square = one[1] - one[-1], one[1] + one[-1]
    played = RecordedMechanism(_label_mechanism(name, grid, horizon))
    _play_stretches(played, sure(size), 1, repetitions, rng)
    counts = np.array(played.rounds[1:])
    worth = report_worth(name, size, level, horizon)
    more = np.array([(sums[:, 0] - sums[:, 1]) / worth for sums in played.sums[1:]])
    noise = (more - counts * mean) / np.sqrt(counts * (square - mean**2))
    where = {"mechanism": name, "eps": level, "T": horizon, "drawn": "long sums", "label": 1}
    yield from noise_points(where, noise.T[..., None], NORMAL, slack=grid["slack"], cells=_NOISES)


def _codes(reports: NDArray[Any]) -> Ints:
    """Return reports as whole numbers: a set of labels has a bit for each."""
    return reports @ (1 << np.arange(reports.shape[1])) if reports.ndim == 2 else reports


def _balance(sums: Array, worth: float) -> Ints:
    """Return how many more reports than not speak for the second distribution, given sums of losses."""
    more = (sums[:, 0] - sums[:, 1]) / worth
    whole = np.rint(more).astype(np.int64)
    return np.where(abs(more - whole) < _ROUNDING, whole, _NO_SUM)


def _games(
    mechanism: Mechanism,
    classes: Array,
    repetitions: int,
    rng: np.random.Generator,
    truths: tuple[int, ...] = (0, 1),
) -> dict[str, list[RecordedMechanism]]:
    """Play round by round, and by sums of one round each, on two neighbouring streams of labels."""
    games: dict[str, list[RecordedMechanism]] = {"reports": [], "sums": []}
    horizon = mechanism.horizon
    rounds = np.broadcast_to(classes, (horizon, *classes.shape))
    for truth in truths:
        for kept in games.values():
            kept.append(RecordedMechanism(mechanism))
        play_labels(games["reports"][-1], rounds, truth=truth, repetitions=repetitions, rng=rng)
        assert all((label == truth).all() for label in games["reports"][-1].labels)
        if asks(mechanism):  # round by round only
            continue
        play_long(
            games["sums"][-1], classes, truth=truth, repetitions=repetitions, rng=rng, strata=horizon, power=1
        )
    return {source: kept for source, kept in games.items() if kept[0].predictions}


def _play_stretches(
    played: RecordedMechanism, classes: Array, truth: int, repetitions: int, rng: np.random.Generator
) -> None:
    """Play by sums over stretches, the first of no round and the others of several."""
    play_long(played, classes, truth=truth, repetitions=repetitions, rng=rng, strata=4, power=2)


def outcome_points(where: Mapping[str, Any], outcomes: Ints, law: Outcomes, grid: Grid) -> Iterator[Point]:
    """Compare outcomes (copies, rounds) with their law in each round, and over rounds and copies.

    An event of many outcomes has its probability, within one and a half times the slack of outcomes in each
    round, and within the slack of events in many rounds together. Two rounds, or two copies, have the same
    outcome as often as independent ones, within twice the slack of outcomes: those that share a draw always
    have.
    """
    slack = grid["slack_of_outcomes"]
    same = sum(chance**2 for chance in law.values())

    def pairs(place: str, first: Ints, second: Ints) -> Iterator[Point]:
        agree = (first == second).astype(np.int64)
        coincide = {**where, "rounds": place}
        both = law_points(coincide, agree, {0: 1 - same, 1: same}, slack=2 * slack, cells=_OUTCOMES)
        return (point for point in both if point.where["place"] == "1")

    if outcomes.shape[1] >= grid["T"]:
        everywhere = {**where, "rounds": "all"}
        yield from event_points(everywhere, outcomes, law, slack=grid["slack_of_events"], cells=_OUTCOMES)
    for t in range(outcomes.shape[1]):
        place = {**where, "rounds": f"{t + 1}"}
        yield from law_points(place, outcomes[:, t], law, slack=slack, cells=_OUTCOMES)
        yield from event_points(place, outcomes[:, t], law, slack=1.5 * slack, cells=_OUTCOMES)
        half = len(outcomes) // 2
        yield from pairs(f"{t + 1}, neighbouring copies", outcomes[: 2 * half : 2, t], outcomes[1::2, t])
        yield from pairs(f"{t + 1}, halves of the copies", outcomes[:half, t], outcomes[-half:, t])
    for s, t in combinations(range(outcomes.shape[1]), 2):
        yield from pairs(f"{s + 1} and {t + 1}", outcomes[:, s], outcomes[:, t])


def _prediction(
    where: Mapping[str, Any], losses: Array, predictions: list[Array], rate: float, mixture: Array
) -> Point:
    """Compare predictions with exponential weights of past reports: nothing else is learnt from."""
    totals = losses.cumsum(axis=0)
    if where["drawn"] == "reports":  # a round is predicted before its report, a stretch after its sums
        totals = np.concatenate([np.zeros_like(totals[:1]), totals[:-1]])
    first = expit(rate * (totals[..., 1:] - totals[..., :1]))
    expected = first * mixture[0] + (1 - first) * mixture[1]
    away = float(abs(expected - np.array(predictions)).max())
    return Point({**where, "aspect": "prediction"}, away, _ROUNDING)


def _level(where: Mapping[str, Any], mechanism: Mechanism) -> Point:
    """Compare the level that a mechanism says it has with that of the grid."""
    away = abs(mechanism.guarantee.epsilon - where["eps"])
    return Point({**where, "aspect": "stated level"}, away, _ROUNDING)


def _noisy_mechanism(
    name: str, epsilon: float, horizon: int, experts: int = 2
) -> NoisyVector | NoisyCoordinate:
    if name == "NoisyVector":
        return NoisyVector(experts, ApproximateDP(epsilon, _DELTA, "local"), horizon=horizon)
    return _COORDINATES[name](experts, PureDP(epsilon, "local"), horizon=horizon)


def _label_mechanism(name: str, grid: Grid, horizon: int) -> Mechanism:
    return _LABELS[name](2, PureDP(grid["eps"][name], "local"), labels=grid["M"][name], horizon=horizon)


def _stated(name: str, epsilon: float, horizon: int, experts: int = 2) -> dict[str, LaplaceReports]:
    """Return the stated law of reports, and that of what learners add up; a vector's level is Lemma 3's."""
    if name == "NoisyVector":
        level = epsilon / (2 * math.sqrt(2 * experts * math.log(1 / _DELTA)) + math.sqrt(experts * epsilon))
        reports = LaplaceReports(horizon, level, vector=True, experts=experts)
        return dict.fromkeys(("reports", "sums"), reports)
    reports = LaplaceReports(horizon, epsilon, vector=False, experts=experts)
    return {"reports": reports, "sums": replace(reports, centred=name == "CentredCoordinate")}


_BY_NAME = {
    **dict.fromkeys(("NoisyVector", *_COORDINATES), noisy),
    **dict.fromkeys(_LABELS, labels),
}
# Reports and learners are checked with a mechanism that makes them.
_PART_OF = {
    "ClippedMixture": "NoisyVector",
    "CentredMixture": "CentredCoordinate",
    "LabelAnswers": "SignDesign",
    "LabelMechanism": "SubsetSelection",
    "LabelMixture": "SubsetSelection",
    "LabelReports": "NoisyCoordinate",
    "LabelSets": "SubsetSelection",
}
MECHANISMS: dict[str, Callable[[Grid, int, int], Iterator[Point]]] = {
    name: partial(_BY_NAME[kind], kind)
    for name, kind in ({name: name for name in _BY_NAME} | _PART_OF).items()
}


def drawn_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """What users and learners draw has the stated law in every round, and the stated level is reached."""
    plays = [point for name in grid["mechanism"] for point in MECHANISMS[name](grid, repetitions, seed)]
    return [*plays, *digit_points(DIGITS, grid, seed)]
