"""What every algorithm has to keep to, whatever it does."""

import math
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from private_experts import algorithms
from private_experts.algorithms.base import BaseAlgorithm
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import GaussianDP, PureDP, Reports, SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.drawn_samples import attack_points
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.saving import load_state_dict, state_dict
from private_experts.validation import checked_gains, generator
from tests.algorithms.cases import (
    CASES,
    COPIES,
    LOCAL,
    MU,
    SCALE,
    Case,
    Placed,
    gains_of,
    in_single_rounds,
    opened,
    played,
    played_alike,
)
from tests.each import each

FALSE_ALARM = 1e-6
PROPERTIES: list[tuple[Callable[[Case], bool], Callable[[Case], None]]] = []


def property_of(applies: Callable[[Case], bool] = lambda case: True) -> Callable:
    """Let a function be a property of every algorithm in the battery, or of those that it applies to."""

    def decorate(check: Callable[[Case], None]) -> Callable[[Case], None]:
        PROPERTIES.append((applies, check))
        return check

    return decorate


@pytest.mark.parametrize("name", CASES)
def test_an_algorithm_keeps_to_all_of_it(name):
    wrong = [broken(check, CASES[name]) for applies, check in PROPERTIES if applies(CASES[name])]
    assert not any(wrong), "\n".join(filter(None, wrong))


def broken(check: Callable[[Case], None], case: Case) -> str:
    """Return how an algorithm breaks a property; nothing when it does not."""
    try:
        check(case)
    except Exception as error:
        return f"{check.__name__}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("name", CASES)
def test_numbers_that_are_not_whole_are_refused(name):
    rng, noise = rng_for(0, "whole"), SimulatedNoise(rng_for(0, "noise"))
    make = CASES[name].make
    for n, repetitions in ((0, 3), (2.5, 3), (4, 0), (4, 2.5)):
        with pytest.raises(InputError):
            make(n, 20, repetitions, noise, rng)


@pytest.mark.parametrize("name", CASES)
def test_sizes_may_be_small_integers_of_numpy(name):
    def games(kind: type) -> tuple[Any, np.ndarray]:
        noise, rng, n, rounds, copies = SimulatedNoise(rng_for(0, "noise")), rng_for(0, "own"), 20, 15, 40
        algorithm = CASES[name].make(kind(n), kind(rounds), kind(copies), noise, rng)
        gains = gains_of(rounds, n)
        feedback = private_reports(gains, LOCAL, 1.0, noise, copies) if CASES[name].local else gains
        return algorithm.guarantee, play(algorithm, feedback)

    stated, actions = games(int)
    for kind in (np.uint8, np.uint64):
        again, same = games(kind)
        assert again == stated
        np.testing.assert_array_equal(same, actions)


def refusal(act: Callable[[object], object], given: object) -> str:
    """What is said when something is refused; nothing when it is taken."""
    try:
        act(given)
    except InputError as error:
        return str(error)
    return ""


def test_every_property_is_asked_of_several_algorithms():
    assert len(PROPERTIES) == 26
    counts = {check.__name__: sum(who(case) for case in CASES.values()) for who, check in PROPERTIES}
    assert min(counts.values()) >= 8, counts


def held_bytes(thing: object, seen: set[int]) -> int:
    """Bytes of all arrays and containers that an object keeps alive."""
    if id(thing) in seen or isinstance(thing, np.random.Generator):
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes if thing.base is None else held_bytes(thing.base, seen)
    if isinstance(thing, dict):
        return sys.getsizeof(thing) + sum(held_bytes(part, seen) for part in thing.values())
    if isinstance(thing, list | tuple | set | deque):
        return sys.getsizeof(thing) + sum(held_bytes(part, seen) for part in thing)
    return held_bytes(vars(thing), seen) if hasattr(thing, "__dict__") else 0


def calls(act: Callable[[], object]) -> int:
    """Functions called, of Python and of C, while `act` runs: a count of operations independent of time."""
    count = 0

    def note(frame: object, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


@property_of()
def the_guarantee_names_level_and_model(case):
    algorithm, _ = opened(case, np.zeros((4, 3)))
    assert algorithm.guarantee == case.guarantee


class Declared(Placed):
    """Noise that says that it is not simulated."""

    simulated = False


@property_of(lambda case: case.local and case.symmetric)  # all that listen to reports
def one_report_of_simulated_noise_makes_the_guarantee_one_of_a_simulation(case):
    noise = Declared(SimulatedNoise(rng_for(0, "noise")), np.arange(4))
    algorithm = case.make(4, 3, 1, noise, rng_for(0, "own"))
    for report, one_was in zip(gains_of(3, 4), (False, True, True), strict=True):
        told = replace(LOCAL, simulated=one_was != algorithm.guarantee.simulated)
        algorithm.predict()
        algorithm.update(Reports(report[None], told, SCALE))
        assert algorithm.guarantee.simulated == one_was
    together = case.make(4, 3, 1, noise, rng_for(0, "own"))
    simulated = replace(LOCAL, simulated=True)
    play(together, [Reports(report[None], simulated, SCALE) for report in gains_of(3, 4)])
    assert together.guarantee.simulated


@property_of()
def the_same_seed_gives_the_same_play(case):
    gains = gains_of(12, 4)
    first = played(case, gains)
    np.testing.assert_array_equal(played(case, gains), first)
    assert (played(case, gains, seed=1) != first).any() == case.noisy


@property_of()
def asking_twice_in_a_round_changes_neither_the_answer_nor_the_play(case):
    gains = gains_of(9, 4)
    expected = played(case, gains)
    algorithm, feedback = opened(case, gains)
    for report, actions in zip(feedback[:4], expected, strict=False):
        for _ in range(2):
            answer = algorithm.predict()
            np.testing.assert_array_equal(answer, actions)
            answer[:] = 3  # it is the caller's own
        algorithm.update(report)
    algorithm.predict()
    rest = feedback[4:] if case.local else gains[4:]  # of an array, many rounds are played at once
    np.testing.assert_array_equal(play(algorithm, rest, resume=True), expected[4:])


@property_of()
def changing_a_round_changes_no_action_up_to_it(case):
    gains = gains_of(9, 4)
    actions = played(case, gains, repetitions=20)
    later = 0
    for t in (0, 3, 7):
        changed = gains.copy()
        changed[t] = 1 - changed[t]
        other = played(case, changed, repetitions=20)
        np.testing.assert_array_equal(other[: t + 1], actions[: t + 1])
        later += (other != actions).sum()
    assert later > 0 or not case.symmetric


@property_of(lambda case: case.symmetric and not case.by_number)
def permuting_the_experts_permutes_the_play(case):
    check_placed(case, gains_of(14, 40), 6, rng_for(0, "test battery", "order").permutation(40))


@property_of(lambda case: case.symmetric and not case.by_number and not case.of_all)
def experts_who_are_never_drawn_change_nothing_however_many_they_are(case):
    # So a game of a few experts, in which the guarantee is attacked, has the noise of a game of many.
    check_placed(case, gains_of(33, 4), 50, np.array([9, 17, 25, 39]))


def check_placed(case: Case, gains: np.ndarray, repetitions: int, places: np.ndarray) -> None:
    """Experts who stand at other places, with what they gain and what is drawn for them, are played there."""
    wide = np.zeros((len(gains), places.max() + 1))
    wide[:, places] = gains
    actions = played(case, gains, repetitions)
    placed = played(case, wide, repetitions, places=places)
    # Before the first round all totals are 0 when there is no noise, and that tie goes to the lowest number.
    start = 0 if case.noisy else 1
    np.testing.assert_array_equal(placed[start:], places[actions][start:])


@property_of()
def actions_are_numbers_of_experts_one_for_each_round_and_repetition(case):
    streams = [
        np.ones((1, 1)),
        np.zeros((9, 2)),
        np.full((20, 4), 0.5),
        np.eye(7),
    ]
    streams = [gains for gains in streams if gains.shape[1] >= case.least]
    for gains, repetitions in zip(streams, (1, 3, 3, 1)[-len(streams) :], strict=True):
        actions = played(case, gains, repetitions)
        assert actions.shape == (len(gains), repetitions)
        assert np.issubdtype(actions.dtype, np.integer)
        algorithm, _ = opened(case, gains, repetitions)
        assert np.issubdtype(algorithm.predict().dtype, np.integer)
        for count in ("draws", "restarts", "completed", "batches", "rounds_played"):
            assert np.issubdtype(np.asarray(getattr(algorithm, count, 0)).dtype, np.integer)
        assert ((actions >= 0) & (actions < gains.shape[1])).all()


@property_of(lambda case: case.symmetric)
def an_expert_that_always_earns_all_is_followed_more_than_half_of_the_time(case):
    gains, copies = np.zeros((48, 3)), 21
    if not case.local and not refused_of_each(case, gains):
        own, best_of_each = np.zeros((48, copies, 3)), np.arange(copies) % 3
        own[:, np.arange(copies), best_of_each] = 1.0
        late = play(opened(case, gains, copies)[0], own)[24:]
        assert all((late == best_of_each)[:, best_of_each == best].mean() > 0.5 for best in range(3))
        return
    for best in (0, 2):
        gains = np.eye(3)[[best] * 48]
        late = played(case, gains, copies)[24:]
        assert (late == best).mean() > 0.5  # chance is 1/3


@property_of(lambda case: case.noisy)
def repetitions_are_independent(case):
    check_independence(played(case, np.full((5, 3), 0.5), repetitions=3000))


@property_of(lambda case: case.noisy and not case.local)
def repetitions_with_gains_of_their_own_are_independent(case):
    # Experts are alike in each copy, and copies differ, so that nothing that they share hides in equal gains.
    gains = rng_for(0, "test battery", "own gains").random((5, 3000, 1)).repeat(3, axis=2)
    algorithm, _ = opened(case, gains[:, 0], repetitions=3000)
    if not refused_of_each(case, gains[:, 0]):
        check_independence(play(algorithm, gains))


def check_independence(actions: np.ndarray) -> None:
    """Neighbouring copies, and both halves, agree as seldom as independent ones on experts that are alike.

    Nor do they change their experts together, as where they share a lottery.
    """
    copies = actions.shape[1] // 2
    changed = actions[1:] != actions[:-1]
    for first, second in ((slice(0, copies), slice(copies, None)), (slice(0, None, 2), slice(1, None, 2))):
        for t in (0, 4):
            agreements = int((actions[t, first] == actions[t, second]).sum())
            assert stats.binomtest(agreements, copies, 1 / 3).pvalue > FALSE_ALARM / 8
        for t in (0, 3):
            one, other = changed[t, first], changed[t, second]
            table = [[int((one & other).sum()), int((one & ~other).sum())]]
            table.append([int((~one & other).sum()), int((~one & ~other).sum())])
            assert stats.fisher_exact(table).pvalue > FALSE_ALARM / 8


@property_of()
def parts_of_an_algorithm_never_draw_from_two_generators_of_one_stream(case):
    algorithm, _ = opened(case, gains_of(4, 4))
    generators = generators_in(algorithm, set())
    streams = [generator.bit_generator.state["state"]["inc"] for generator in generators]
    assert len(set(streams)) == len(streams)


def generators_in(thing: Any, seen: set[int]) -> list[np.random.Generator]:
    """Return the generators that an object keeps, those of one bit generator once."""
    drawing = isinstance(thing, np.random.Generator)
    key = id(thing.bit_generator if drawing else thing)
    if key in seen:
        return []
    seen.add(key)
    if drawing:
        return [thing]
    parts = getattr(thing, "__dict__", thing)
    if isinstance(parts, dict):
        parts = [*parts.values()]
    elif not isinstance(parts, list | tuple | set | deque):
        return []
    return [generator for part in parts for generator in generators_in(part, seen)]


@property_of()
def a_copy_that_plays_alone_plays_as_one_of_many(case):
    gains = gains_of(17, 4)
    alone, many = (played_alike(case, gains, copies) for copies in (1, COPIES))
    np.testing.assert_array_equal(many, np.broadcast_to(alone, many.shape))


@property_of(lambda case: not case.local)
def gains_of_each_copy_are_played_like_gains_of_all(case):
    gains = gains_of(17, 4)
    if not refused_of_each(case, gains):
        for one_by_one in (False, True):  # several rounds at once may be drawn in another order
            of_all, of_each = (
                played_alike(case, gains, COPIES, of_each=each, one_by_one=one_by_one)
                for each in (False, True)
            )
            np.testing.assert_array_equal(of_each, of_all)


def refused_of_each(case: Case, gains: np.ndarray) -> bool:
    """Whether gains of each copy are refused: whoever plays sums of all copies takes no others."""
    message = refusal(lambda copies: played_alike(case, gains, copies, of_each=True), COPIES)
    return f"write shape ({gains.shape[1]},)" in message


@property_of(lambda case: case.noisy and case.symmetric)
def equal_experts_are_drawn_alike_in_every_round(case):
    # Whoever draws nothing in a round, or the same for all copies, plays one expert in all of them.
    actions = played(case, np.full((4, 4), 0.5), repetitions=1000)
    counts = [np.bincount(of_round, minlength=4) for of_round in actions]
    low, high = clopper_pearson(counts, 1000, 16, confidence=1 - FALSE_ALARM)
    assert (low <= 0.25).all()
    assert (high >= 0.25).all()


def _protects(case: Case) -> bool:
    stated = case.guarantee
    return case.noisy and 0 < (stated.mu if isinstance(stated, GaussianDP) else stated.epsilon) < math.inf


@property_of(_protects)
def an_attack_on_plays_finds_no_more_than_the_guarantee(case):
    # One datum moves a round by 1: in L2 distance, or of central pure privacy in every expert.
    reach = np.where(np.arange(4) == 0, 1.0, -1.0) * (0.25 if isinstance(case.guarantee, GaussianDP) else 0.5)
    streams = np.full((2, 2, 4), 0.5)
    streams[:, 0] += [reach, -reach]
    games = [[played(case, gains, 8000, seed) for seed, gains in enumerate(streams)]]
    if not case.local and not refused_of_each(case, streams[0]):
        algorithm, _ = opened(case, streams[0], 16000)
        games.append(np.split(play(algorithm, streams.repeat(8000, axis=0).swapaxes(0, 1)), 2, axis=1))
    for game in games:
        sides = [4 * first + second for first, second in game]
        for pair in (sides, sides[::-1]):
            allowed, _ = attack_points({}, *pair, case.guarantee, least=0, most=1.1, cells=400)
            assert decide([allowed]) != "fails", f"it reaches {allowed.value:.2f} times {case.guarantee}"


@property_of()
def the_cost_of_a_round_does_not_grow_with_the_rounds_played(case):
    gains = gains_of(143, 3)
    algorithm, reports = opened(case, gains, repetitions=2)
    reports = [report if case.local else report.copy() for report in reports]  # none is a view of all rounds

    def rounds(start: int, stop: int) -> Callable[[], None]:
        def act() -> None:
            for report in reports[start:stop]:
                algorithm.predict()
                algorithm.update(report)

        return act

    rounds(0, 64)()
    early = calls(rounds(64, 79))
    early_bytes = held_bytes(algorithm, set())  # a tree holds 5 nodes after 79 rounds, and after 143
    rounds(79, 128)()
    late = calls(rounds(128, 143))
    assert 0 < late <= 1.1 * early
    assert held_bytes(algorithm, set()) > 0
    assert held_bytes(algorithm, set()) <= 1.35 * early_bytes or case.remembers


@property_of(lambda case: case.local)  # central algorithms are told gains of shape (n,) only
def one_report_for_all_repetitions_is_the_same_as_a_copy_for_each(case):
    gains = gains_of(12, 4)
    one, _ = opened(case, gains)
    copies, _ = opened(case, gains)
    reports = [Reports(np.tile(row, (rows, 1)), LOCAL, SCALE) for rows in (1, 3) for row in gains]
    np.testing.assert_array_equal(play(one, reports[:12]), play(copies, reports[12:]))


@property_of(lambda case: case.local and case.symmetric)  # random choice hears nothing
def a_local_algorithm_is_never_given_true_gains_or_reports_that_promise_less(case):
    algorithm, reports = opened(case, np.full((1, 4), 0.5))
    values = reports[0].values
    wrong = [
        (np.full(4, 0.5), "true gains never reach"),
        ([0.5] * 4, "true gains never reach"),
        (Reports(values, GaussianDP(MU * 1.01, "local"), SCALE), "state what the reports have"),
        (Reports(values, GaussianDP(MU, "central"), SCALE), "state what the reports have"),
        (Reports(values[:2], LOCAL, SCALE), "as the game has"),
    ]
    for report, message in wrong:
        assert message in refusal(algorithm.update, report)
    algorithm.predict()
    algorithm.update(Reports(values, GaussianDP(MU * 0.5, "local"), SCALE))  # more private than it says
    assert "as the game has" in refusal(algorithm.update, Reports(values[:, :3], LOCAL, SCALE))


@property_of(lambda case: not case.local)
def gains_looked_at_together_are_played_and_refused_like_those_of_one_round(case):
    gains = gains_of(12, 4)
    one_by_one = played(case, gains)  # as a list of rows
    np.testing.assert_array_equal(play(opened(case, gains)[0], gains), one_by_one)
    np.testing.assert_array_equal(play(opened(case, gains)[0], -0.0 * gains), played(case, 0.0 * gains))
    for wrong, messages in (
        (1.001, ["write numbers from 0 to 1"]),
        (-0.001, ["from 0 to 1"]),
        (np.nan, ["from 0 to 1", "is missing"]),  # the latter where the class is somebody else's
    ):
        damaged = gains.copy()
        damaged[7, 2] = wrong
        algorithm, _ = opened(case, gains)
        said = refusal(partial(play, algorithm), damaged)
        assert any(message in said for message in messages)
        algorithm.update(gains[7])  # nothing of that round was taken in
        np.testing.assert_array_equal(play(algorithm, gains[8:], resume=True), one_by_one[8:])


@property_of()
def a_long_game_of_many_experts_is_the_same_one_by_one_at_once_and_saved_in_between(case):
    gains = gains_of(*((66, 6) if case.local else (132, 16)))
    algorithm, feedback = opened(case, gains)
    expected = in_single_rounds(algorithm, feedback)
    first, feedback = opened(case, gains)
    told, pause = feedback if case.local else gains, len(gains) // 2
    actions, last = play(first, told[:pause]), first
    if isinstance(first, BaseAlgorithm):  # the others have no state to save, and count no rounds
        assert (first.rounds_played, algorithm.rounds_played) == (pause, len(gains))
        last, _ = opened(case, gains, seed=1)
        load_state_dict(saved := state_dict(first), last)
        for path, value in state_dict(last)["state"].items():
            if isinstance(value, np.ndarray):  # to the last bit, which few actions show
                np.testing.assert_array_equal(value, saved["state"][path])
    actions = np.vstack([actions, play(last, told[pause:], resume=True)])
    np.testing.assert_array_equal(actions, expected)


@property_of(lambda case: case.noisy)
def what_is_no_source_of_randomness_is_refused_in_one_sentence(case):
    rng, noise = rng_for(0, "own"), SimulatedNoise(rng_for(0, "noise"))
    _, reports = opened(case, gains_of(3, 4))
    refused = []
    for given in (("5", rng), (noise, "5")):
        message = refusal(lambda wrong: case.make(4, 3, 3, *wrong), given)
        refused += [message] if message else []
        if not message:
            play(case.make(4, 3, 3, *given), reports)  # it needs no such thing
    assert refused
    assert all(
        "of type str" in message and ("Generator" in message or "SimulatedNoise" in message)
        for message in refused
    )


@property_of(lambda case: not case.local)
def gains_that_no_guarantee_is_about_are_refused_and_change_nothing(case):
    gains = gains_of(6, 4)
    expected = played(case, gains)
    algorithm, _ = opened(case, gains)
    wrong = [
        (["0.5"] * 4, "is no number"),
        (1.001 * np.eye(4)[0], "write numbers from 0 to 1"),
        (-0.001 * np.eye(4)[0], "write numbers from 0 to 1"),
        (np.full(4, np.nan), "write numbers from 0 to 1"),
        (gains[0, :3], "write shape"),
        (np.tile(gains[0], (2, 1)), "write shape"),
        (Reports(np.tile(gains[0], (3, 1)), LOCAL, SCALE), "a Reports was given"),
    ]
    for t, row in enumerate(gains):
        np.testing.assert_array_equal(algorithm.predict(), expected[t])
        for given, message in wrong:
            assert message in refusal(algorithm.update, given)
        algorithm.update(row)


@property_of(lambda case: case.symmetric)  # random choice hears nothing
def rows_of_a_frame_lists_and_short_numbers_are_told_and_names_keep_their_order(case):
    gains = gains_of(6, 4).astype(np.float32).astype(np.float64)
    frame = pd.DataFrame(gains, columns=[*"dcba"])
    expected = played(case, gains)

    def of_kind(given: Any) -> Any:
        return Reports(given, LOCAL, SCALE) if case.local else given

    def rows(t: int, values: np.ndarray) -> list[Any]:
        series = pd.Series(values, index=frame.columns)
        return [series, values.tolist(), series.astype(np.float32), tuple(values), series][t % 5]

    algorithm, reports = opened(case, gains)
    if case.local:  # values with few digits, which are the same numbers in all kinds
        values = [report.values[:1].astype(np.float32).astype(np.float64) for report in reports]
        one, copies = opened(case, gains)[0], [Reports(row, LOCAL, SCALE) for row in values]
        expected, gains = play(one, copies), np.vstack(values)
    for t, row in enumerate(gains):
        np.testing.assert_array_equal(algorithm.predict(), expected[t])
        if t and isinstance(algorithm, BaseAlgorithm):
            assert algorithm.names == ("d", "c", "b", "a")
            turned = of_kind(pd.Series(row, index=frame.columns)[["d", "b", "c", "a"]])
            assert "column b stands where c stood before" in refusal(algorithm.update, turned)
        algorithm.update(of_kind(rows(t, row)))
    if not case.local:
        names = play(opened(case, gains)[0], frame)
        assert names.index.equals(frame.index)
        np.testing.assert_array_equal(names.to_numpy(), frame.columns.to_numpy()[played(case, gains)])


WITH_A_LAW = {
    "hedge",
    "hedge of learners",
    "hedge of learners at a fixed rate",
    "fixed share",
    "noisy fixed share",
    "noisy fixed share of gaussians",
    "shrinking dartboard",
    "shrinking dartboard of batches",
    "switching dartboard",
    "sleeping hedge",
    "sleeping softmax",
    "switching softmax",
    "uniform",
}


@property_of()
def probabilities_are_those_of_the_plays_or_are_refused(case):
    gains, copies = gains_of(7 if case.local else 40, 3), 4000
    algorithm, feedback = opened(case, gains, copies)
    before = algorithm.predict()
    algorithm.update(feedback[0])
    if case not in [CASES[name] for name in WITH_A_LAW]:
        told_law = hasattr(algorithm, "probabilities")  # what is not of the library may have none
        assert not told_law or "no closed form" in refusal(lambda kind: kind.probabilities(), algorithm)
        return
    for t, report in enumerate(feedback[1:], start=1):
        if 7 <= t < 37:  # early and late rounds are looked at
            before = algorithm.predict()
            algorithm.update(report)
            continue
        law = np.broadcast_to(algorithm.probabilities(), (copies, 3))
        np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-12)
        assert (law >= 0).all()
        actions = algorithm.predict()
        np.testing.assert_array_equal(np.broadcast_to(algorithm.probabilities(), (copies, 3)), law)
        # as often as expected
        for event in (np.zeros(copies, dtype=int), np.ones(copies, dtype=int), before):
            chance = law[np.arange(copies), event]
            deviation = np.sqrt((chance * (1 - chance)).sum())
            # FALSE_ALARM in all
            assert abs((actions == event).sum() - chance.sum()) <= 6.5 * deviation + 1e-6
        before = actions
        algorithm.update(report)


@property_of()
def arrays_that_the_caller_changes_later_do_not_change_the_play(case):
    gains = gains_of(20, 4)
    expected = played(case, gains)
    algorithm, reports = opened(case, gains)
    values = [report.values if case.local else report for report in reports]
    buffer = np.empty_like(values[0])
    for t, report in enumerate(values):
        actions = algorithm.predict()
        np.testing.assert_array_equal(actions, expected[t])
        actions[...] = 0
        buffer[...] = report
        algorithm.update(Reports(buffer, LOCAL, SCALE) if case.local else buffer)
        np.testing.assert_array_equal(buffer, report)  # nor does the algorithm change the caller's
        buffer[...] = 1000.0 * np.arange(4)


LAW = PureDP(2.0, "central")  # of one draw that knows a round, as in a game of two


class Honest:
    """Follows the leader of totals with new noise for every expert each round."""

    guarantee = LAW

    def __init__(self, n, repetitions, rng):
        self.rng, self.n, self.repetitions = generator(rng, "honest"), n, repetitions
        self.total, self.round, self.each, self.differ = np.zeros(n), 0, False, False
        self.actions = None

    def drawn(self):
        return self.rng.gumbel(size=(self.repetitions, self.n))

    def fresh(self):
        return (self.total + self.drawn()).argmax(axis=1)

    def predict(self):
        self.actions = self.fresh() if self.actions is None else self.actions
        return self.actions.copy()

    def heard(self, gains):
        return checked_gains(gains, self.n, self.repetitions)

    def update(self, gains):
        gains = self.heard(gains)
        self.each = gains.ndim == 2
        self.differ = self.each and bool(np.ptp(gains, axis=0).any())
        self.total, self.actions, self.round = self.total + gains, None, self.round + 1


def honest_but(change):
    """The honest one with other noise: `change` is given the algorithm and what it drew."""

    class Changed(Honest):
        def drawn(self):
            return np.broadcast_to(change(self, super().drawn()), (self.repetitions, self.n))

    return Changed


class CommonLottery(Honest):
    """Draws anew in half of the rounds, by one lottery for a copy of each half."""

    def fresh(self):
        drawn, half = super().fresh(), self.repetitions // 2
        lottery = self.rng.uniform(size=self.repetitions) < 0.5
        if half:
            lottery[-half:] = lottery[:half]
        self.last = np.where(lottery, drawn, getattr(self, "last", drawn))
        return self.last


class Twins(Honest):
    """Has a second generator of the same stream."""

    def __init__(self, n, repetitions, rng):
        super().__init__(n, repetitions, rng)
        bits = type(self.rng.bit_generator)()
        bits.state = self.rng.bit_generator.state
        self.other = np.random.Generator(bits)


class Tired(algorithms.Hedge):
    """Learns at half of its rate once it has played sixty rounds at once."""

    def __init__(self, n, repetitions, rng):
        super().__init__(n, rng=rng, repetitions=repetitions)

    def play_unchecked(self, gains):
        return super().play_unchecked(gains / (2 if len(gains) > 60 else 1))


class Keeper(Honest):
    """Keeps the arrays it was given, and adds them up again in every round."""

    def update(self, gains):
        self.kept, self.actions = [*getattr(self, "kept", []), self.heard(gains)], None
        self.total = np.sum(self.kept, axis=0)


class Deaf(Honest):
    def update(self, gains):
        self.heard(gains)
        self.actions = None


class Credulous(Honest):
    def heard(self, gains):
        return gains


class Unasked(Honest):
    """Draws from a generator that nobody gave it."""

    def __init__(self, n, repetitions, rng):
        super().__init__(n, repetitions, rng_for(0, "unasked"))
        self.rng_given = rng


class Fresh(Honest):
    def predict(self):
        return self.fresh()


class OfTheFirst(Honest):
    """Credits all copies with the gains of the first."""

    def update(self, gains):
        super().update(gains[0] if gains.ndim == 2 else gains)


GOES_ON = rng_for(0, "unseeded")  # from play to play
ATTACK = an_attack_on_plays_finds_no_more_than_the_guarantee
EQUAL = equal_experts_are_drawn_alike_in_every_round
OTHER_NOISE = [
    (lambda it, noise: 0 * noise, (EQUAL, ATTACK)),
    (lambda it, noise: noise / 2, (ATTACK,)),
    (lambda it, noise: noise * (it.round == 0), (EQUAL, ATTACK)),
    (lambda it, noise: noise[:1], (EQUAL, repetitions_are_independent)),
    (lambda it, noise: np.resize(noise[::2], noise.shape), (repetitions_are_independent,)),
    (lambda it, noise: noise / (1 + (it.repetitions == 1)), (a_copy_that_plays_alone_plays_as_one_of_many,)),
    (lambda it, noise: noise / (1 + it.each), (gains_of_each_copy_are_played_like_gains_of_all,)),
    (
        lambda it, noise: noise[:1] if it.differ else noise,
        (repetitions_with_gains_of_their_own_are_independent,),
    ),
    (lambda it, noise: noise / (1 + it.differ), (ATTACK,)),
    (lambda it, noise: noise - 0.5 * np.arange(it.n), (permuting_the_experts_permutes_the_play,)),
    (
        lambda it, noise: noise / (1 + (it.n > 30)),
        (experts_who_are_never_drawn_change_nothing_however_many_they_are,),
    ),
    (lambda it, noise: GOES_ON.gumbel(size=noise.shape), (the_same_seed_gives_the_same_play,)),
]
FOLLOWED = an_expert_that_always_earns_all_is_followed_more_than_half_of_the_time
OTHERS = {
    CommonLottery: (repetitions_are_independent,),
    Twins: (parts_of_an_algorithm_never_draw_from_two_generators_of_one_stream,),
    Tired: (a_long_game_of_many_experts_is_the_same_one_by_one_at_once_and_saved_in_between,),
    Keeper: (
        the_cost_of_a_round_does_not_grow_with_the_rounds_played,
        arrays_that_the_caller_changes_later_do_not_change_the_play,
    ),
    Deaf: (FOLLOWED, changing_a_round_changes_no_action_up_to_it),
    OfTheFirst: (FOLLOWED,),
    Credulous: (gains_that_no_guarantee_is_about_are_refused_and_change_nothing,),
    Unasked: (what_is_no_source_of_randomness_is_refused_in_one_sentence,),
    Fresh: (asking_twice_in_a_round_changes_neither_the_answer_nor_the_play,),
}


def case_of(kind):
    return Case(
        lambda n, horizon, repetitions, noise, rng: kind(n, repetitions, rng),
        LAW,
        draws_of_experts=True,
        by_number=kind is Tired,
    )


def test_an_honest_algorithm_keeps_to_all_of_it():
    case = case_of(Honest)
    assert not any(broken(check, case) for applies, check in PROPERTIES if applies(case))


BREAKERS = [*((honest_but(change), checks) for change, checks in OTHER_NOISE), *OTHERS.items()]


@each(("kind", "checks"), BREAKERS)
def test_an_algorithm_that_breaks_a_property_is_caught(kind, checks):
    assert [check.__name__ for check in checks if not broken(check, case_of(kind))] == []
