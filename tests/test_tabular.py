"""Frames, series and lists at the door: what is taken, refused by row and column, and given back."""

import math
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import RWFTPL, FollowTheLeader, Hedge, RWAdaBatch, TreeFTPL
from private_experts.errors import InputError
from private_experts.games import (
    Trial,
    best_sequence,
    dynamic_regret,
    earned,
    experiment,
    interval_regret,
    late,
    play,
    private_reports,
    static_regret,
    switches,
)
from private_experts.learners import TotalsLeader
from private_experts.privacy import GaussianDP, MatrixSums, Reports, SimulatedNoise, fixed_rates, privatize
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from private_experts.saving import load, save
from private_experts.tabular import gains_of, numbered, numbers
from tests.each import each

LOCAL = GaussianDP(0.5, "local")
DAYS = pd.date_range("2026-01-05", periods=40, name="day")
GUESTS = pd.DataFrame(
    rng_for(0, "guests").integers(0, 51, (40, 3)), index=DAYS, columns=["North", "South", "East"]
)
SHARES = GUESTS.to_numpy() / 50
LOSSES = 60 - GUESTS  # each between 10 and 60


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": [0.1, 0.2], **columns})


@each(
    ("values", "message"),
    [
        (frame(b=["0.5", "1"]), "door: column b: str is no number"),
        (frame(b=DAYS[:2]), r"door: column b: datetime64\[\w+\] is no number"),
        (frame(b=[10**400, 1]), "door: column b: a number has too many digits"),
        (frame(b=[0.5, [1]]), "door: column b: list is no number"),
        (pd.DataFrame([[0.1, 0.2, 0.3]], columns=["b", "a", "a"]), "door: column a is there twice"),
        (frame(b=[0.5, np.nan]), "door: row 1, column b is missing"),
        (frame(b=[None, 0.5]), "door: row 0, column b is missing"),
        (frame(b=pd.array([1, None], dtype="Int64")), "door: row 1, column b is missing"),
        (frame(b=[0.5, -np.inf]), "door: row 1, column b is -inf"),
        (GUESTS.drop(DAYS[2]).reindex(DAYS), "door: row 2026-01-07 00:00:00, column North is missing"),
        (pd.Series([0.5, np.nan], index=["x", "y"]), "door: column y is missing"),
        (pd.Series([0.5, 0.1], index=["x", "x"]), "door: column x is there twice"),
        ([[0.5, 0.1], [None, 0.2]], "door: row 1, column 0 is missing"),
        ([[0.5, 0.1], [0.2]], "door: a list of rows of different lengths"),
        (["0.5", "0.1"], "door: <U3 is no number"),
        (SimpleNamespace(columns=["a"], collect=frame), "door: a lazy frame has no numbers yet"),
    ],
)
def test_what_has_no_number_for_each_expert_is_refused_in_one_line_by_its_place(
    values: Any, message: str
) -> None:
    with pytest.raises(InputError, match=rf"^{message}[^\n]*: write [^\n]+$|^{message}: write [^\n]+$"):
        numbers(values, "door")


@each(
    "values",
    [
        GUESTS.astype(np.float32),
        GUESTS.astype("Int64"),
        GUESTS.astype(object),
        GUESTS.to_numpy().astype(np.uint8),
        GUESTS.to_numpy().tolist(),
        tuple(map(tuple, GUESTS.to_numpy())),
        GUESTS.to_numpy().astype(">f8"),
    ],
)
def test_the_same_numbers_are_taken_in_every_form(values: Any) -> None:
    taken = numbers(values, "door")
    assert taken.dtype == np.float64
    np.testing.assert_array_equal(taken, GUESTS.to_numpy())


def test_arrays_of_floats_and_what_holds_no_numbers_are_left_to_others() -> None:
    for value in (SHARES, None, "word", iter([SHARES]), np.array(["a"]), np.ma.masked_array([1.0])):
        assert numbers(value, "door") is value


def test_a_frame_of_another_package_without_an_index_will_do() -> None:
    """As those of polars are, which have no index."""
    columns = {"a": np.array([0.0, 1.0]), "b": np.array([1.0, 0.0])}

    class Plain:
        def __init__(self) -> None:
            self.columns, self.to_numpy = [*columns], lambda: np.column_stack([*columns.values()])

        def __getitem__(self, name: str) -> Any:
            return SimpleNamespace(to_numpy=lambda: columns[name])

    assert play(FollowTheLeader(2), Plain()).tolist() == [["a"], ["b"]]


def test_a_play_on_a_frame_is_that_on_its_numbers_with_names() -> None:
    plain = play(Hedge(3, rng=7, repetitions=4), SHARES)
    names = play(Hedge(3, rng=7, repetitions=4), GUESTS / 50)
    assert names.index.equals(DAYS)
    np.testing.assert_array_equal(names.to_numpy(), GUESTS.columns.to_numpy()[plain])
    again = play(Hedge(3, rng=7, repetitions=4), GUESTS, bounds=(0, 50))
    pd.testing.assert_frame_equal(again, names)
    for regret in (earned, static_regret, lambda *game: dynamic_regret(*game, 2)):
        expected = regret(SHARES, plain)
        for found in (
            regret(GUESTS / 50, names),
            regret(SHARES.tolist(), plain.tolist()),
            regret(GUESTS, names) / 50,
        ):
            np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(
        interval_regret(GUESTS, names, [5]), interval_regret(50 * SHARES, plain, [5])
    )
    np.testing.assert_array_equal(switches(names), switches(plain))
    np.testing.assert_array_equal(best_sequence(GUESTS, 2), best_sequence(50 * SHARES, 2))
    with pytest.raises(InputError, match=r"^regret: North was played, and is no column of the gains"):
        earned(GUESTS.drop(columns="North"), names)


def test_frames_of_other_columns_or_another_order_are_refused_between_games() -> None:
    leader = FollowTheLeader(3)
    with pytest.raises(InputError, match=r"write shape \(3,\)"):
        play(leader, GUESTS.assign(West=1) / 50)
    play(leader, GUESTS / 50)
    with pytest.raises(InputError, match=r"^FollowTheLeader: column East stands where North stood before"):
        play(leader, GUESTS[["East", "South", "North"]] / 50, resume=True)


def test_actions_by_name_beside_numbers_alone_are_told_what_they_lack() -> None:
    assert numbered(np.empty((0, 1), dtype=object), GUESTS, "test").dtype == np.intp
    played = play(Hedge(3, rng=7), GUESTS / 50)
    with pytest.raises(InputError, match="which are experts, or the frame of gains beside names"):
        static_regret((GUESTS / 50).to_numpy(), played)


def test_columns_that_are_numbers_are_names_all_the_same() -> None:
    turned = pd.DataFrame(SHARES, columns=[2, 0, 1])
    names = play(Hedge(3, rng=7), turned)
    np.testing.assert_array_equal(earned(turned, names), earned(SHARES, play(Hedge(3, rng=7), SHARES)))


def test_losses_are_played_as_gains_and_what_is_earned_is_what_they_cost() -> None:
    plain = play(Hedge(3, rng=7, repetitions=4), SHARES)
    names = play(Hedge(3, rng=7, repetitions=4), LOSSES, bounds=(10, 60), losses=True)
    np.testing.assert_array_equal(names.to_numpy(), GUESTS.columns.to_numpy()[plain])
    np.testing.assert_allclose(earned(LOSSES, names), 50 * earned(SHARES, plain) - 60, rtol=1e-12)
    picked = LOSSES.to_numpy()[np.arange(40), numbered(names, LOSSES, "test")[:, 0]]
    np.testing.assert_array_equal(earned(LOSSES, names)[:, 0], -picked)
    np.testing.assert_array_equal(
        play(Hedge(3, rng=7), 1 - SHARES, losses=True), play(Hedge(3, rng=7), 1 - (1 - SHARES))
    )


def test_the_noise_of_a_report_is_sensitivity_over_level_in_the_unit_of_the_gains() -> None:
    reports = [*private_reports(GUESTS + 10, LOCAL, 2, SimulatedNoise(7), 3, bounds=(10, 60))]
    by_hand = [*private_reports(SHARES, LOCAL, 2 / 50, SimulatedNoise(7), 3)]
    for report, other in zip(reports, by_hand, strict=True):
        assert report.scale * 50 == pytest.approx(2 / LOCAL.mu)
        assert report.names == ("North", "South", "East")
        np.testing.assert_allclose(report.values, other.values, rtol=1e-12)
    reach = np.array([1.0, 2.0, 3.0])
    own = next(private_reports(GUESTS, LOCAL, reach, SimulatedNoise(7), moved=1, bounds=(0, 50)))
    np.testing.assert_allclose(own.scale * 50, reach / LOCAL.mu)


@pytest.mark.parametrize("kind", [RWFTPL, RWAdaBatch])
def test_a_local_game_needs_sensitivity_and_repetitions_once(kind: type) -> None:
    noise = SimulatedNoise(7)
    scale = LOCAL.noise_scale(2 / 50)
    by_hand = kind(3, LOCAL, noise_scale=scale, noise=noise, repetitions=4)
    plain = play(by_hand, private_reports(SHARES, LOCAL, 2 / 50, noise, 4))
    noise = SimulatedNoise(7)
    short = kind(3, LOCAL, sensitivity=2, bounds=(0, 50), noise=noise, repetitions=4)
    names = play(short, GUESTS, noise=noise)
    np.testing.assert_array_equal(names.to_numpy(), GUESTS.columns.to_numpy()[plain])
    np.testing.assert_array_equal(short.total, by_hand.total)


def leader_of(**settings: Any) -> Any:
    return lambda: RWFTPL(3, LOCAL, noise=SimulatedNoise(7), **settings)


@each(
    ("make", "settings", "message"),
    [
        (leader_of(noise_scale=4), {}, "begins with noise of scale 4 for gains in"),
        (
            leader_of(sensitivity=1, bounds=(0, 50)),
            {},
            "is made for a sensitivity of 1, and its reports would",
        ),
        (leader_of(noise_scale=0.08), {"noise": None}, "needs both"),
        (leader_of(), {}, "^RW-FTPL: write sensitivity, how far"),
        (leader_of(sensitivity=1, noise_scale=1), {}, "^RW-FTPL: write sens"),
        (lambda: Hedge(3, rng=7), {}, "Hedge hears no local reports"),
        (
            lambda: TotalsLeader(Reports(np.zeros(3), GaussianDP(1, "central"), 1.0)),
            *({}, "hears no local reports"),
        ),
    ],
)
def test_a_local_game_of_other_noise_than_it_was_made_for_is_refused(
    make: Any, settings: dict, message: str
) -> None:
    given = {"sensitivity": 2, "noise": SimulatedNoise(7), "bounds": (0, 50), **settings}
    with pytest.raises(InputError, match=message):
        play(make(), GUESTS, **given)


@each(
    ("values", "bounds", "message"),
    [
        (GUESTS, (0, 40), r"column \w+ is 4\d: write numbers from 0 to 40, or other bounds"),
        (GUESTS, (1, 50), r"column \w+ is 0: write numbers from 1 to 50, or other bounds"),
        (GUESTS, None, r"^play: row 2026-01-\d\d 00:00:00, column \w+ is \d+: write numbers from 0 to 1"),
        (GUESTS, (50, 0), r"bounds = \(50, 0\): write the least and the largest"),
        *((GUESTS, (low, high), "write the least") for low, high in ((5, 5), (0, math.inf), (0, math.nan))),
        *((GUESTS, bounds, "write the least and the largest") for bounds in (50, ("a", "b"), (0, 1, 2))),
        (
            np.array([[0.1, 0.2, 0]], dtype=object),
            (0, 1),
            "play: .* is no number: write a frame or an array of",
        ),
        (np.array([["a", "b", "c"]]), (0, 1), "play: .* is no number: write a frame or an array of gains"),
    ],
)
def test_gains_that_are_not_in_bounds_and_bounds_that_are_none_are_refused(
    values: Any, bounds: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        play(Hedge(3, rng=7), values, bounds=bounds)


def test_true_gains_in_a_frame_never_reach_a_local_algorithm() -> None:
    with pytest.raises(InputError, match="true gains never reach"):
        play(leader_of(sensitivity=1)(), GUESTS / 50)


def test_ten_numbers_are_enough_to_tell_their_unit_and_counts_up_to_two_are_counts() -> None:
    noise = SimulatedNoise(7)
    with pytest.warns(UserWarning, match="by less than a thousandth of what bounds or a sensitivity"):
        privatize(np.linspace(0, 9e-4, 10), LOCAL, 1.0, noise)
    with pytest.raises(InputError, match=r"of 0\.02 for whole numbers from 0 to 2, which move by 1 at least"):
        privatize(np.array([0, 2]), LOCAL, 0.02, noise, bounds=(0, 2))
    privatize(np.array([0, 1]), LOCAL, 0.02, noise)


def test_ends_of_bounds_are_0_and_1_to_the_last_bit() -> None:
    low, high = 0.1, 0.7
    for losses in (False, True):
        gains, unit = gains_of([[low, high]], "door", (low, high), losses)
        assert gains.tolist() == [[float(losses), 1.0 - losses]]
        assert unit == high - low


def test_an_experiment_has_regrets_in_the_unit_of_its_frame() -> None:
    makers = {"local": lambda trial: trial.make(RWFTPL, trial.local), "none": lambda trial: trial.make(Hedge)}
    plain = experiment(SHARES, makers, [0.5, 1.0], 2 / 50, 3, seed=1)
    for values, more in ((GUESTS, {"bounds": (0, 50)}), (60 - GUESTS, {"bounds": (10, 60), "losses": True})):
        own = experiment(values, makers, [0.5, 1.0], 2, 3, seed=1, **more)
        np.testing.assert_allclose(own["regret"], 50 * plain["regret"], rtol=1e-9, atol=1e-9)
    with pytest.raises(InputError, match=r"^experiment: row 2026-01-05 00:00:00, column North is missing"):
        experiment(GUESTS.where(GUESTS < 0), makers, [1.0], 2, 3, seed=1, bounds=(0, 50))


def test_a_trial_makes_what_is_made_by_hand() -> None:
    trial = Trial(0.5, 3, 40, 4, 0.1, SimulatedNoise(7), rng_for(0, "choice"))
    sums = trial.make(MatrixSums, trial.central, strategy=square_root(40), sensitivity=np.full(40, 0.1))
    assert (sums.n, sums.guarantee) == (3, trial.central)
    settings = {"sensitivity": 0.1, "noise": trial.noise, "repetitions": 4, "horizon": 40, "alpha": 0.5}
    by_hand = RWAdaBatch(3, trial.local, **settings)
    made = trial.make(RWAdaBatch, trial.local, alpha=0.5)
    assert made.get_params(deep=False) == by_hand.get_params(deep=False)


def test_reports_of_series_have_their_names_and_other_names_are_refused_later() -> None:
    day = (GUESTS / 50).iloc[0]
    report = privatize(day, LOCAL, 0.04, SimulatedNoise(7), repetitions=2)
    np.testing.assert_array_equal(
        report.values, privatize(SHARES[0], LOCAL, 0.04, SimulatedNoise(7), repetitions=2).values
    )
    leader = RWFTPL(3, LOCAL, sensitivity=0.04, noise=SimulatedNoise(7), repetitions=2)
    leader.update(report)
    before = leader.total.copy()
    turned = privatize(day[["South", "North", "East"]], LOCAL, 0.04, SimulatedNoise(7), repetitions=2)
    with pytest.raises(InputError, match=r"^RWFTPL: column South stands where North stood before: write the"):
        leader.update(turned)
    np.testing.assert_array_equal(leader.total, before)
    own = privatize(GUESTS.iloc[0], LOCAL, 2, SimulatedNoise(7), repetitions=2, bounds=(0, 50))
    np.testing.assert_array_equal(own.values, report.values)
    np.testing.assert_array_equal(
        privatize(
            60 - GUESTS.iloc[0], LOCAL, 2, SimulatedNoise(7), repetitions=2, bounds=(10, 60), losses=True
        ).values,
        report.values,
    )
    assert Reports(day, LOCAL, 1.0).names == ("North", "South", "East")


def test_a_note_is_taken_between_action_and_report() -> None:
    laws: list[np.ndarray] = []
    hedge = Hedge(3, rng=7, repetitions=2)
    actions = play(hedge, SHARES, note=lambda it: laws.append(it.probabilities()))
    np.testing.assert_array_equal(actions, play(Hedge(3, rng=7, repetitions=2), SHARES))
    totals = np.vstack([np.zeros(3), SHARES[:-1].cumsum(axis=0)])
    exponents = 2 * np.sqrt(math.log(3) / np.arange(1, 41))[:, None] * totals
    expected = np.exp(exponents) / np.exp(exponents).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.array(laws)[:, 0], expected, rtol=1e-12)


@each("bounds", [(5, 55), (-60, -5)])
def test_bounds_that_0_is_outside_of_hold_for_private_reports_as_well(bounds):
    def played(gains, bounds):
        leader = RWFTPL(3, LOCAL, sensitivity=1, bounds=bounds, noise=SimulatedNoise(0))
        return play(leader, gains, noise=SimulatedNoise(1))

    low, high = bounds
    pd.testing.assert_frame_equal(played(GUESTS + low, bounds), played(GUESTS, (0, high - low)))


@each("regret", [static_regret, partial(dynamic_regret, comparator=2), partial(interval_regret, lengths=[7])])
@each("values", [LOSSES, LOSSES.to_numpy()])
def test_regrets_after_losses_are_of_the_losses_themselves(regret: Any, values: Any) -> None:
    played = play(Hedge(3, rng=7, repetitions=4), values, bounds=(10, 60), losses=True)
    expected = regret(SHARES, play(Hedge(3, rng=7, repetitions=4), SHARES))
    np.testing.assert_allclose(regret(values, played), 50 * expected, rtol=1e-12)
    np.testing.assert_allclose(
        regret(values, played[[0, 2]] if values is LOSSES else played[:, [0, 2]]), 50 * expected[..., [0, 2]]
    )
    for other in (-values, (60 - values) / 50, values + 1, values[:20]):
        with pytest.raises(InputError, match=r"losses=True, and these are other|rows|not those|rounds"):
            regret(other, played)
    # Whoever takes them out of what play returned says by hand what is a gain.
    bare = np.asarray(play(Hedge(3, rng=7), LOSSES.to_numpy(), bounds=(10, 60), losses=True))
    assert type(bare) is np.ndarray
    assert regret(-LOSSES.to_numpy(), bare).shape[-1] == 1


@each("rows", [DAYS[::-1], DAYS.to_series().sample(40, random_state=1).index, DAYS.shift(1)])
def test_rows_of_two_frames_are_those_of_one_game(rows: Any) -> None:
    played, other = play(Hedge(3, rng=7), GUESTS, bounds=(0, 50)), GUESTS.set_axis(rows)
    by_comparator, by_length = partial(dynamic_regret, comparator=1), partial(interval_regret, lengths=[3])
    for regret in (earned, static_regret, by_comparator, by_length):
        with pytest.raises(
            InputError, match=r"row .* of the actions stands beside row .* of the gains: write b"
        ):
            regret(other, played)
    with pytest.raises(InputError, match="row missing of the actions"):
        earned(GUESTS, played[:-1])
    with pytest.raises(InputError, match="stands beside row"):
        dynamic_regret(GUESTS, played, played.set_axis(rows))


MONTHS = pd.period_range("2023-12", periods=20, freq="M")
WINTER = pd.date_range("2023-12-01", periods=40, freq="3D")  # over New Year and 29 February
ORDERS: dict[str, Any] = {
    "dates": DAYS,
    "zones": DAYS.tz_localize("UTC"),
    "months": MONTHS,
    "days of datetime": [day.date() for day in DAYS],
    "times": pd.to_timedelta(range(12), unit="D"),
    "pairs": pd.MultiIndex.from_tuples([(2026, k) for k in range(12)]),
    "numbers": range(7, 20),
    "weeks": [f"2026-W{week:02}" for week in range(1, 13)],
    "numbered": [f"week {week}" for week in range(1, 13)],
    "ends of long months": ["2024-10-31", "2024-12-31", "2025-01-31"],
    "quarters": [f"{2020 + k // 4}-Q{k % 4 + 1}" for k in range(12)],
    "years": [str(2000 + k) for k in range(12)],
    "months in words": [str(month) for month in MONTHS],
    **{how: [f"{day:{how}}" for day in DAYS] for how in ("%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y")},
    **{how: [f"{month:{how}}" for month in MONTHS] for how in ("%b %Y", "%B %Y", "%b-%y")},
    **{how: [f"{day:{how}}" for day in WINTER] for how in ("%d %B", "%b %d", "%B %d, %Y")},
}


@each("kind", [*ORDERS])
def test_rows_of_any_order_rise_or_are_refused(kind: str) -> None:
    rows = [*ORDERS[kind]]
    gains = pd.DataFrame(np.full((len(rows), 2), 0.5), index=ORDERS[kind])
    assert len(play(FollowTheLeader(2), gains)) == len(rows)
    for wrong in (gains[::-1], pd.concat([gains[:1], gains])):
        with pytest.raises(InputError, match=r"row .* comes after row .*, and rounds are played from top to"):
            play(FollowTheLeader(2), wrong)


TURNING = (f"{day} {month}" for month in ("February", "March") for day in range(1, 29))


@each(
    "rows",
    [
        [f"{day:02}.{month:02}.2024" for day in range(1, 21) for month in (1, 2)],  # nor with the month first
        ["1 March", *["29 February"] * 39],
        ["1 July", *TURNING][:40],  # five months back are no new year
    ],
)
def test_rows_that_rise_in_no_reading_are_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="rounds are played from top to bottom"):
        play(Hedge(3, rng=7), (GUESTS / 50).set_axis(rows))


def test_rounds_that_do_not_rise_are_refused_at_every_door() -> None:
    frame, noise = (GUESTS / 50)[::-1], SimulatedNoise(7)
    makers = {"hedge": lambda trial: trial.make(Hedge)}
    for door in (
        lambda: private_reports(frame, LOCAL, 1.0, noise),
        lambda: play(RWFTPL(3, LOCAL, sensitivity=1, noise=noise), frame, noise=noise),
        lambda: experiment(frame, makers, [1.0], 1.0, 2, seed=1),
        lambda: next(late(frame, 1)),
    ):
        with pytest.raises(InputError, match="rounds are played from top to bottom"):
            door()
    assert len(play(Hedge(3, rng=7), frame.reset_index(drop=True))) == 40


@each("rows", [["May", "April", "March"], ["b", "a", "b"], ["week 2", "first", "x"], [0, ("a", 1), ("a", 2)]])
def test_words_that_tell_no_order_are_played_as_they_stand(rows: Any) -> None:
    assert len(play(FollowTheLeader(2), pd.DataFrame(np.full((3, 2), 0.5), index=rows))) == 3


def test_what_lost_the_direction_of_losses_is_refused_beside_them() -> None:
    losses = rng_for(0, "played as losses").random((20, 3))
    halves = [play(FollowTheLeader(3), part, losses=True) for part in (losses[:10], losses[10:])]
    whole = play(FollowTheLeader(3), losses, losses=True)
    right = float(static_regret(losses, whole)[0])
    for lost in (np.asarray(whole), whole.tolist(), np.hstack([whole, whole]), np.concatenate(halves)):
        with pytest.raises(
            InputError, match="do not tell that they were: write losses=True, or losses=False"
        ):
            static_regret(losses, lost)
    assert static_regret(losses, np.asarray(whole), losses=True) == pytest.approx(right)
    assert static_regret(-losses, np.asarray(whole)) == pytest.approx(right)
    assert static_regret(losses, np.asarray(whole), losses=False) != pytest.approx(right)
    with pytest.raises(InputError, match="these are other numbers"):
        static_regret(-losses, whole)
    with pytest.raises(InputError, match="losses=True, or losses=False"):
        best_sequence(losses, 2)
    # An experiment knows what its numbers are.
    assert len(experiment(losses, {"hedge": lambda trial: trial.make(Hedge)}, [1.0], 1.0, 2, seed=1)) == 2
    best = best_sequence(losses, 2, losses=True)
    np.testing.assert_allclose(dynamic_regret(losses, whole, best), dynamic_regret(losses, whole, 2))


def test_frames_of_two_games_on_losses_are_joined() -> None:
    losses = pd.DataFrame(rng_for(0, "two games on losses").random((20, 3)), columns=["a", "b", "c"])
    joined = pd.concat([play(FollowTheLeader(3), part, losses=True) for part in (losses[:10], losses[10:])])
    expected = static_regret(-losses.to_numpy(), joined.replace({"a": 0, "b": 1, "c": 2}).to_numpy(dtype=int))
    np.testing.assert_allclose(static_regret(losses, joined), expected)


def test_reports_of_losses_leave_no_doubt_about_their_direction_also_where_each_is_made_by_hand() -> None:
    losses, level, noise = rng_for(0, "reported").random((9, 2)), GaussianDP(1.0, "local"), SimulatedNoise(1)
    by_play, by_hand = (RWFTPL(2, level, sensitivity=0.5, noise=noise) for _ in range(2))
    rows = []
    for row in losses:
        rows.append(by_hand.predict())
        by_hand.update(privatize(row, level, sensitivity=0.5, noise=noise, losses=True))
    played = play(by_play, private_reports(losses, level, 0.5, noise, losses=True))
    for actions in (played, np.array(rows)):
        for rounds in (9, 5):  # also of some of the rounds
            with pytest.raises(InputError, match="these numbers were played as losses"):
                static_regret(losses[:rounds], actions[:rounds])
    static_regret(losses, np.array(rows), losses=True)
    static_regret(rng_for(0, "other numbers").random((9, 2)), np.array(rows))


def test_numbers_beside_columns_that_are_called_by_other_numbers_are_refused() -> None:
    gains = pd.DataFrame(rng_for(0, "called by numbers").random((9, 3)), columns=[2, 1, 0])
    played = play(FollowTheLeader(3), gains)
    for lost in (played[0].tolist(), played.to_numpy().astype(int)):
        with pytest.raises(
            InputError, match="actions by number, and the columns are called by numbers such as 2"
        ):
            static_regret(gains, lost)


ORDERED = pd.DataFrame(
    np.full((3, 2), 0.5), columns=["north", "south"], index=pd.date_range("2026-01-05", periods=3)
)


@each(
    ("reach", "moved"),
    [
        (pd.Series([0.1, 0.2], index=["south", "north"]), 2),
        (pd.Series([0.1], index=["north"]), 2),
        (pd.Series([0.1, 0.2, 0.3], index=ORDERED.index[::-1]), None),
        (0.1 * ORDERED[["south", "north"]], 2),
        (0.1 * ORDERED[::-1], 2),
    ],
)
def test_sensitivities_in_another_order_than_the_gains_are_refused(reach: Any, moved: int | None) -> None:
    """Each expert, or round, would have the noise of another one."""
    noise, turned = SimulatedNoise(1), pd.Series([0.1, 0.2], index=["south", "north"])
    with pytest.raises(InputError, match=r"^sensitivity of .* stands beside gains of "):
        private_reports(ORDERED, LOCAL, reach, noise, moved=moved)
    with pytest.raises(InputError, match=r"^sensitivity of .* stands beside gains of "):
        privatize(ORDERED.iloc[0], LOCAL, turned, noise, moved=2)
    with pytest.raises(InputError, match=r"^fixed rates: size of south stands beside gains of north: "):
        fixed_rates(ORDERED, 100 * turned)


def test_sensitivities_with_the_labels_of_the_gains_are_taken_and_so_are_those_without() -> None:
    noise, level = SimulatedNoise(1), GaussianDP(1.0, "local")
    own = pd.Series([0.1, 0.2], index=["north", "south"])
    for reach in (own, own.to_numpy(), 2 * ORDERED * own):
        report = next(private_reports(ORDERED, level, reach, noise, moved=2))
        np.testing.assert_allclose(report.scale, np.sqrt(2) * own)
    by_round = pd.Series([0.1, 0.2, 0.3], index=ORDERED.index)
    scales = [report.scale for report in private_reports(ORDERED, level, by_round, noise)]
    np.testing.assert_allclose(scales, by_round)
    np.testing.assert_allclose(privatize(ORDERED.iloc[0], level, own, noise, moved=2).scale, np.sqrt(2) * own)
    assert fixed_rates(ORDERED, 10 / own)[1].tolist() == [0.01, 0.02]


@each("rows", [DAYS, [f"{day:%m/%d/%Y}" for day in DAYS], range(-30, 10)])
def test_rounds_that_were_played_before_are_refused(rows: Any, tmp_path: Path) -> None:
    """Who is in them would be in the sums twice."""
    guests, noise = GUESTS.set_axis([*rows]), SimulatedNoise(1)

    def leader() -> TreeFTPL:
        level = GaussianDP(1.0, "central")
        return TreeFTPL(3, level, horizon=100, sensitivity=1.0, bounds=(0, 50), noise=noise)

    before = leader()
    play(before, guests[:15])
    save(tmp_path / "leader.state", before)
    for again in (guests, guests[14:], guests[:1]):
        after = leader()
        load(tmp_path / "leader.state", after)
        with pytest.raises(InputError, match=r"^play: row .* comes first, and row .* has been played: "):
            play(after, again, resume=True)
        assert after.rounds_played == 15
    after = leader()
    load(tmp_path / "leader.state", after)
    assert len(play(after, guests[15:], resume=True)) == 25
    assert len(play(after, GUESTS.reset_index(drop=True), resume=True)) == 40  # which tell no order
