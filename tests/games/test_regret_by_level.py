"""Experiments: laws of the regrets, independence, what reaches an algorithm, intervals that cover."""

import math
import sys
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from private_experts.algorithms import (
    RWFTPL,
    Delayed,
    DyadicLeader,
    FollowTheLeader,
    Hedge,
    PrefixFTPL,
    SwitchingSoftmax,
    TreeFTPL,
    Uniform,
)
from private_experts.errors import InputError
from private_experts.games import (
    Trial,
    dynamic_regret,
    experiment,
    play,
    plot_regret,
    regret_summary,
    static_regret,
)
from private_experts.privacy import ApproximateDP, GaussianDP, MatrixSums, PureDP, pure_within
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from tests.each import each

GAINS = rng_for(0, "experiments").random((6, 3))


def leader(trial: Trial) -> RWFTPL:
    scale, copies = trial.noise_scale, trial.repetitions
    return RWFTPL(trial.n, trial.local, noise_scale=scale, noise=trial.noise, repetitions=copies)


def uniform(trial: Trial) -> Uniform:
    return Uniform(trial.n, rng=trial.rng, repetitions=trial.repetitions)


def sums(trial: Trial) -> PrefixFTPL:
    reach = np.full(trial.horizon, trial.sensitivity)
    given = {"noise": trial.noise, "repetitions": trial.repetitions}
    return PrefixFTPL(
        MatrixSums(trial.n, trial.central, strategy=square_root(trial.horizon), sensitivity=reach, **given)
    )


def run(
    makers: Mapping[str, Callable], levels=(0.5, 2.0), repetitions=4, seed=1, gains=GAINS, **more
) -> pd.DataFrame:
    return experiment(gains, makers, levels, 0.3, repetitions, seed, **more)


def test_a_frame_is_tidy_and_depends_on_the_seed_alone() -> None:
    frame = run({"local": leader, "central": sums})
    assert list(frame.columns) == ["algorithm", "model", "guarantee", "level", "repetition", "regret"]
    index = pd.MultiIndex.from_product([["local", "central"], [0.5, 2.0], range(4)])
    assert pd.MultiIndex.from_frame(frame[["algorithm", "level", "repetition"]]).equals(index)
    assert frame["model"].equals(frame["algorithm"].rename("model"))
    assert frame["guarantee"].equals(frame["level"].map("{:g}-GDP".format).rename("guarantee"))
    pd.testing.assert_frame_equal(run({"local": leader, "central": sums}, gains=GAINS.tolist()), frame)
    assert not np.allclose(run({"local": leader, "central": sums}, seed=2)["regret"], frame["regret"])
    level = GaussianDP.from_epsilon_delta(epsilon=2, delta=1e-6, model="local")  # which may be a guarantee
    pd.testing.assert_frame_equal(run({"central": sums}, [level]), run({"central": sums}, [level.mu]))


def test_numbers_that_were_played_as_losses_are_gains_again_where_they_are_said_to_be() -> None:
    gains = rng_for(0, "experiments", "both ways").random((6, 3))
    for losses in (False, True, False):
        frame = run({"leader": lambda trial: FollowTheLeader(3)}, repetitions=1, gains=gains, losses=losses)
        signed = -gains if losses else gains
        regret = static_regret(signed, play(FollowTheLeader(3), 1 - gains if losses else gains), losses=False)
        assert frame["regret"].tolist() == regret.tolist()


def test_what_else_is_played_changes_no_regret() -> None:
    whole = run({"local": leader, "central": sums, "uniform": uniform})
    part = run({"central": sums}, levels=[2.0])
    mine = whole[(whole["algorithm"] == "central") & (whole["level"] == 2.0)]
    assert mine["regret"].tolist() == part["regret"].tolist()


def test_algorithms_and_levels_have_noise_of_their_own() -> None:
    """Of independent samples of size n a correlation above 5.2 / sqrt(n) has probability below 1e-6."""
    frame = run({"one": leader, "other": leader}, levels=[1.0, 1.0001], repetitions=5000)
    columns = [part["regret"].to_numpy() for _, part in frame.groupby(["algorithm", "level"])]
    assert len(columns) == 4
    assert np.abs(np.triu(np.corrcoef(columns), 1)).max() < 5.2 / math.sqrt(5000)


class Listener:
    """Plays expert 0, and keeps what it is told."""

    def __init__(self, guarantee: GaussianDP, repetitions: int) -> None:
        self.guarantee, self.repetitions, self.feedback = guarantee, repetitions, []

    def predict(self) -> np.ndarray:
        return np.zeros(self.repetitions, dtype=np.intp)

    def update(self, report: object) -> None:
        self.feedback.append(report)


@each("level", [0.1, 8.0])
def test_reports_have_the_noise_of_their_level(level: float) -> None:
    made = []

    def listener(trial: Trial) -> Listener:
        assert trial.noise_scale == 0.3 / level  # with which algorithms begin
        made.append(Listener(trial.local, trial.repetitions))
        return made[-1]

    run({"listener": listener}, levels=[level], repetitions=2000)
    (listener,) = made
    assert [report.scale for report in listener.feedback] == [0.3 / level] * 6
    assert {report.guarantee.mu for report in listener.feedback} == {level}
    noise = np.stack([report.values for report in listener.feedback]) - GAINS[:, None]
    assert abs(noise.std() / (0.3 / level) - 1) < 5 / math.sqrt(2 * noise.size)
    assert abs(noise.mean()) < 5 * 0.3 / level / math.sqrt(noise.size)


def test_a_curator_is_told_the_true_gains() -> None:
    made = []
    run({"curator": lambda trial: made.append(Listener(trial.central, 4)) or made[-1]}, levels=[0.5])
    np.testing.assert_array_equal(made[0].feedback, GAINS)


@each("confidence", [0.5, 0.95])
def test_intervals_of_few_normal_regrets_cover_exactly(confidence: float) -> None:
    """Student's t is exact for them; normal quantiles would cover 81 % of the time where 95 % are stated."""
    cells, copies = 4000, 3
    regrets = rng_for(0, "coverage").normal(5.0, 2.0, size=(cells, copies))
    rows = {
        "algorithm": "a",
        "model": "local",
        "guarantee": "1-GDP",
        "level": np.repeat(np.arange(cells), copies),
        "repetition": np.tile(range(copies), cells),
    }
    table = regret_summary(pd.DataFrame({**rows, "regret": regrets.ravel()}), confidence)
    covered = ((table["low"] <= 5.0) & (table["high"] >= 5.0)).mean()
    assert abs(covered - confidence) < 5 * math.sqrt(confidence * (1 - confidence) / cells)


def test_one_copy_has_a_mean_and_no_interval() -> None:
    table = regret_summary(run({"leader": leader}, repetitions=1))
    assert table["mean"].notna().all()
    assert table[["low", "high"]].isna().all(axis=None)


def test_regret_may_be_another_one() -> None:
    makers = {"not private": lambda trial: FollowTheLeader(trial.n, repetitions=4)}
    frame, other = (
        run(makers, levels=[math.inf], **more)
        for more in ({}, {"regret": partial(dynamic_regret, comparator=5)})
    )
    best = GAINS.max(axis=1).sum() - GAINS.sum(axis=0).max()
    np.testing.assert_allclose(other["regret"] - frame["regret"], best)


def softmax(factor: float) -> Callable[[Trial], SwitchingSoftmax]:
    """One with a factor of the pure level that implies the Gaussian one."""
    return lambda trial: trial.make(SwitchingSoftmax, at_level(trial, factor), switches=1)


def at_level(trial: Trial, factor: float) -> PureDP:
    return PureDP(factor * pure_within(trial.central).epsilon, "central")


def late_leader(trial: Trial) -> Delayed:
    return Delayed(lambda _: trial.make(RWFTPL, trial.local), 2)


def test_a_pure_level_that_implies_the_gaussian_one_may_stand_beside_it_and_no_privacy_too() -> None:
    for factor in (0.5, 1.0):
        run({"soft": softmax(factor)})
    frame = run({"hedge": lambda trial: trial.make(Hedge)}, levels=[math.inf, 2.0, 0.5])
    assert frame[["model", "guarantee", "level"]].drop_duplicates().values.tolist() == [
        ["none", "no privacy", math.inf]
    ]
    assert frame["repetition"].tolist() == [0, 1, 2, 3]  # once, and not at each level


def test_late_reports_are_late_in_an_experiment() -> None:
    """Whoever hears nothing of the first two rounds until the third has guessed twice, by z_0 alone."""
    gains = np.tile([0.0, 1.0], (8, 1))
    frame = run({"late": late_leader}, levels=[math.inf], gains=gains, delays=2)
    assert frame["regret"].tolist() == [3.0] * 4
    in_time = run({"late": late_leader}, levels=[math.inf], gains=gains, delays=0)
    assert in_time["regret"].tolist() == [1.0] * 4


def stubborn(level: float, model: str) -> Callable[[Trial], Listener]:
    return lambda trial: Listener(GaussianDP(level, model), trial.repetitions)


def tree(trial: Trial, **more: object) -> TreeFTPL:
    return trial.make(TreeFTPL, trial.central, **more)


def narrow_sums(trial: Trial) -> PrefixFTPL:
    given = {"strategy": square_root(trial.horizon), "sensitivity": np.array([1.0, 0.01, 1.0, 1.0, 1.0, 1.0])}
    return PrefixFTPL(trial.make(MatrixSums, trial.central, **given))


def counter(trial: Trial) -> DyadicLeader:
    return DyadicLeader(3, at_level(trial, 1), rng=0, moves_at_most_1=True, repetitions=4)


@each(
    ("message", "what"),
    [
        ("there is nothing to play", {"makers": {}}),
        ("there is nothing to play", {"levels": []}),
        ("a level is there twice", {"levels": [1, 2, 1.0]}),
        (r"levels = 0.5: write a list of levels, such as \[0.5, 1\]", {"levels": 0.5}),
        (
            r"write GaussianDP.from_epsilon_delta\(epsilon=1.0, d",
            {"levels": [ApproximateDP(1, 1e-6, "local")]},
        ),
        (r"gains of shape \(3,\): write an array of shape \(rounds, experts\)", {"gains": GAINS[0]}),
        ("repetitions = 0", {"repetitions": 0}),
        ("RWFTPL takes no late reports: leave out delays", {"delays": 1}),
        ("algorithms of type list: write a dict, name: function", {"makers": [leader]}),
    ],
)
def test_what_would_make_a_false_table_is_refused(message: str, what: dict) -> None:
    with pytest.raises(InputError, match=message):
        run(**{"makers": {"leader": leader}, **what})


@each(
    ("message", "maker", "more"),
    [
        ("mine is a Uniform, and no function of a trial: write one that", Uniform(3, rng=0), {}),
        (r"such as lambda trial: trial.make\(RWFTPL\)", RWFTPL, {}),
        (r"mine states 3-GDP \(local.* at level 0.5", stubborn(3.0, "local"), {}),
        (r"mine states 3-GDP \(central.* at level 0.5", stubborn(3.0, "central"), {}),
        ("mine states no privacy at level 0.5", stubborn(math.inf, "local"), {}),
        ("mine states .* at level 0.5; .* pure_within", softmax(1.001), {}),
        ("mine was made for sensitivity 0.31, .* by 0.3;", partial(tree, sensitivity=0.31), {}),
        ("mine was made for sensitivity 0.01", narrow_sums, {}),
        (
            "sensitivity 0.01",
            lambda trial: Delayed(lambda _: tree(trial, sensitivity=0.01), 1),
            {"delays": 1},
        ),
        (
            r"mine: TreeFTPL is for gains from 0 to 9, and these are in \[0, 1\]",
            partial(tree, bounds=(0, 9)),
            {},
        ),
        (
            "mine: Dya.* is for gains that one person moves by at most 1, of any size",
            counter,
            {"bounds": (0, 9)},
        ),
        ("nothing is late for Delayed: write delays=", late_leader, {}),
        (r"mine has actions of shape \(6, 1\)", lambda trial: Hedge(3, rng=trial.rng), {}),
    ],
)
def test_algorithms_that_would_make_a_false_table_are_refused(
    message: str, maker: Callable, more: dict
) -> None:
    with pytest.raises(InputError, match=message):
        run({"mine": maker}, **more)


@pytest.mark.parametrize("name", ["pandas", "matplotlib"])
def test_a_missing_package_is_told_before_anything_is_done(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = run({"leader": leader})
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"^\w+: {name} is missing: install it with pip install {name}$"):
        plot_regret(frame) if name == "matplotlib" else run(
            {"leader": lambda trial: pytest.fail("it was played")}
        )


def test_a_summary_of_something_else_is_refused() -> None:
    frame = run({"leader": leader})
    with pytest.raises(InputError, match="no column level"):
        regret_summary(frame.drop(columns="level"))
    with pytest.raises(InputError, match=r"confidence = 1\.5"):
        regret_summary(frame, 1.5)


def test_a_picture_shows_the_summary_and_cuts_no_label() -> None:
    long = "a leader of noisy totals that somebody gave a name of many words, to tell it from the other one"
    makers = {long: leader, f"{long} too": uniform, "hedge": lambda trial: trial.make(Hedge)}
    frame = run(makers, levels=[math.inf, 0.5, 2.0])
    axes = plot_regret(frame, confidence=0.9)
    figure = axes.figure
    figure.canvas.draw()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "2", "∞"]
    assert axes.get_ylabel() == "regret, in the unit of the gains"
    levels = ["0.5-GDP to no privacy (local)", "0-GDP (local)", "no privacy"]
    told = {name: f"{name}: {level}" for name, level in zip(makers, levels, strict=True)}
    (legend,) = figure.legends
    shown = {text.get_text().replace("\n", " ") for text in legend.get_texts()}
    assert shown == {*told.values()}
    for item in (legend, axes):
        box = item.get_tightbbox()
        assert figure.bbox.x0 <= box.x0, item
        assert box.x1 <= figure.bbox.x1, item
        assert figure.bbox.y0 <= box.y0, item
        assert box.y1 <= figure.bbox.y1, item
    table = regret_summary(frame, 0.9)
    for name, container in zip([*makers][:2], axes.containers, strict=True):
        assert container.get_label().replace("\n", " ") == told[name]
        mine = table[table["algorithm"] == name].sort_values("level")
        line, _, (bars,) = container.lines
        np.testing.assert_allclose(line.get_ydata(orig=False), mine["mean"])
        np.testing.assert_array_equal(np.round(line.get_xdata(orig=False)), [0, 1, 2])
        np.testing.assert_allclose([bar[:, 1] for bar in bars.get_segments()], mine[["low", "high"]])
    (once,) = (line for line in axes.lines if line.get_label() == told["hedge"])
    (hedge,) = table[table["algorithm"] == "hedge"].to_dict("records")
    assert once.get_ydata() == [hedge["mean"]] * 2
    (span,) = axes.patches
    assert (span.get_y(), span.get_height()) == pytest.approx((hedge["low"], hedge["high"] - hedge["low"]))
    colours = {*(container.lines[0].get_color() for container in axes.containers), once.get_color()}
    assert len(colours) == 3
    assert plot_regret(frame, own := Figure().subplots()) is own
    assert len(own.get_legend().get_texts()) == 3
