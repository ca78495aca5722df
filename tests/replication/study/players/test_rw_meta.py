"""RW-Meta's variants on a panel, and the learners that they choose between."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import yaml

from private_experts.algorithms import RWMeta, known_advice
from private_experts.algorithms.fresh_scales import gumbel_scales, scales_for_horizon
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.learners.autoregression import Autoregressions
from private_experts.learners.linear_filter import LinearFilters, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.learners.recorded import Recorded
from private_experts.learners.totals_leader import TotalsLeader
from private_experts.privacy.guarantees import GaussianDP
from private_experts.randomness import rng_for
from private_experts.replication.study.families import FAMILIES
from private_experts.replication.study.players import rw_ftpl, rw_meta
from tests.each import each
from tests.noisy import report_of
from tests.replication.study.plays import LEARNERS, LEVELS, a_game, a_panel, plays


def test_it_hears_the_very_reports_that_rw_ftpl_hears(noises):
    game = a_game()
    rw_ftpl.play(game)
    rw_meta.play(game, LEARNERS)
    alone, meta = noises[: len(LEVELS)], noises[len(LEVELS) :]
    assert len(meta) == len(LEVELS)
    for first, second in zip(alone, meta, strict=True):
        assert len(first) == len(second)
        for (*_, one), (*_, other) in zip(first, second, strict=True):
            # without noise one copy is enough
            np.testing.assert_array_equal(one, np.broadcast_to(other, one.shape))


def test_the_rw_ftpl_among_its_learners_plays_as_rw_ftpl_does(monkeypatch):
    advice = []
    known = rw_meta.advised
    monkeypatch.setattr(rw_meta, "advised", lambda *words: advice.append(known(*words)) or advice[-1])
    game = a_game(levels=(0.5,))
    [alone] = rw_ftpl.play(game)
    rw_meta.play(game, LEARNERS)
    assert len(advice) == 1  # all variants choose between the same learners
    actions = advice[0].everyone(6)
    assert actions.shape == (len(game.gains), 2 * 2 + 1, 6)
    follower = actions[:, -1]
    np.testing.assert_array_equal(np.take_along_axis(game.gains, follower, axis=1), alone.earned)
    np.testing.assert_array_equal((follower[1:] != follower[:-1]).sum(axis=0), alone.switches)


def test_without_privacy_the_reports_are_the_gains(noises):
    game = a_game(levels=(math.inf,))
    rw_meta.play(game, LEARNERS)
    assert [scale for _, scale, *_ in noises[0]] == [0.0] * (1 + len(game.gains))
    for (*_, report), gains in zip(noises[0][1:], game.gains, strict=True):
        np.testing.assert_array_equal(report, gains[None])  # one copy, as all would be the same


def test_without_privacy_and_floor_all_repetitions_of_rw_meta_and_its_learners_agree():
    game = a_game(levels=(math.inf,))
    played = plays("rw-meta", game) | plays("rw-meta-variants", game)
    for name in ("rw-meta-no-floor", "rw-meta-centred-no-floor", "learner/w2-weak", "learner/w4-strong"):
        earned = played[name, math.inf].earned
        assert (earned == earned[:, :1]).all(), name
    for kind in ("", "-centred", "-fresh", "-gumbel", "-hedge"):  # their noise is there even then
        earned = played[f"rw-meta{kind}", math.inf].earned
        assert (earned != earned[:, :1]).any(), kind


def test_learners_are_named_by_window_and_strength_and_the_variants_are_seven():
    played = plays("rw-meta", a_game(), windows=[8, 16, 32, 64], strengths={"a": 0.1, "b": 1.0, "c": 10.0})
    names = [name for name, mu in played if mu == 1.0]
    learners = [f"learner/w{window}-{name}" for window in (8, 16, 32, 64) for name in "abc"]
    assert names == [*learners, "rw-meta", "rw-meta-fresh", "rw-meta-hedge"]
    variants = [name for name, mu in plays("rw-meta-variants", a_game()) if mu == 1.0]
    assert sorted([*names[12:], *variants]) == sorted(rw_meta.VARIANTS)
    kinds = ("", "-no-floor", "-centred", "-centred-no-floor", "-fresh", "-gumbel", "-hedge")
    assert list(rw_meta.VARIANTS) == [f"rw-meta{kind}" for kind in kinds]
    assert {mu for _, mu in played} == set(LEVELS)
    assert len(played) == (12 + 3) * len(LEVELS)


def made(name, scales):
    learners = Recorded(np.zeros((len(scales), 13, 1), dtype=int))
    return rw_meta.VARIANTS[name](
        learners, 13, GaussianDP(0.5, "local"), np.array(scales), rng_for(0, "made")
    )


def test_the_paper_has_the_floor_and_variants_of_ours_do_not():
    found = {name: rw_meta.VARIANTS[name] for name in list(rw_meta.VARIANTS)[:4]}
    assert {name: (variant.floor, variant.projection) for name, variant in found.items()} == {
        "rw-meta": (2.0, "sigma-star"),
        "rw-meta-no-floor": (0, "sigma-star"),
        "rw-meta-centred": (2.0, "centred"),
        "rw-meta-centred-no-floor": (0, "centred"),
    }


def test_the_mended_variants_take_their_scales_from_the_noise_of_all_weeks():
    scales = [0.1, 0.4, 0.2] * 10
    fresh, gumbel = made("rw-meta-fresh", scales), made("rw-meta-gumbel", scales)
    np.testing.assert_array_equal(list(fresh._scales), scales_for_horizon(scales))
    b, normal, _ = gumbel_scales(scales, 13)
    assert (fresh.gumbel, gumbel.gumbel) == (0.0, b)
    np.testing.assert_array_equal(list(gumbel._scales), normal)
    for meta in (fresh, gumbel):
        assert meta.guarantee == GaussianDP(0.5, "local")


def test_exponential_weights_adapt_their_rate():
    meta = made("rw-meta-hedge", [0.5, 0.5])
    assert (meta.rate, meta.guarantee) == ("adaptive", GaussianDP(0.5, "local"))


@each(
    ("family", "bank"),
    [
        ("trend", lambda *given: LinearFilters(trend_weights, *given)),
        ("gaussian-process", lambda *given: LinearFilters(gaussian_process_weights, *given)),
        ("trend-shrunk", lambda *given: LinearFilters(partial(trend_weights, free_intercept=False), *given)),
        ("pooled-autoregression", PooledAutoregressions),
        ("autoregression-1", Autoregressions),
        ("autoregression-2-origin", lambda *given: Autoregressions(*given, order=2, intercept=False)),
    ],
)
@each("n", [4, 400])  # many copies are forecast together, or one
def test_a_family_is_the_regression_of_its_name_and_a_leader_is_the_last(family, bank, n):
    settings = [(3, 0.5), (5, 2.0)]
    first, *reports = [report_of(noise) for noise in rng_for(1, "reports").random((12, 30, n))]
    actions, kept = rw_meta.advice_of_learners(TotalsLeader(first), first, iter(reports), family, settings)
    assert kept == reports
    twins, leader = bank(settings, first), TotalsLeader(first)
    for report, choices in zip(reports, actions, strict=True):
        np.testing.assert_array_equal(choices, [*twins.predict(), leader.predict()])
        twins.update(report)
        leader.update(report)


@each("family", ["trend", "gaussian-process"])
def test_without_noise_the_first_of_two_equal_hospitals_is_named(family):
    gains = np.tile(rng_for(2, "twins").random((40, 1, 25)), 2)
    first, *reports = [report_of(gain) for gain in gains]
    pairs = [(window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0)]
    actions, _ = rw_meta.advice_of_learners(TotalsLeader(first), first, reports, family, pairs)
    assert (actions < 25).all()


@each("copies", [1, 4])  # RW-Meta plays one where there is no noise, central learners play all
def test_without_noise_experts_that_tie_are_told_apart_as_the_learners_do(copies):
    gains = np.minimum(rng_for(2, "capped").random((100, 1, 24)), 0.1)
    first, *reports = [report_of(np.tile(gain, (copies, 1)), scale=0.0) for gain in gains]
    pairs = [(window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0)]
    actions, _ = rw_meta.advice_of_learners(TotalsLeader(first), first, reports, "trend", pairs)
    twins = LinearFilters(trend_weights, pairs, first)
    for report, choices in zip(reports, actions, strict=True):
        np.testing.assert_array_equal(choices[:-1], twins.predict())
        twins.update(report)


@each("mu", LEVELS)
@each("name", [name for name in rw_meta.VARIANTS if name.split("-")[-1] not in {"fresh", "gumbel", "hedge"}])
def test_variants_choose_as_the_librarys_algorithm_does(name, mu, monkeypatch):
    # so that a game has several parts, the last a shorter one
    monkeypatch.setattr(known_advice, "_AT_ONCE", 200 * 16)
    game = a_game(panel=a_panel(weeks=30), levels=(mu,), repetitions=30)
    advice = rw_meta.advised(rw_meta.followed(game, mu), "trend", [(2, 0.1), (4, 0.1), (8, 10.0)])
    learners, rng = Recorded(advice.everyone(30)), rng_for(game.seed, name, game.state, mu)
    meta = RWMeta([learners], advice.guarantee, rng=rng, decorrelation=rw_meta.VARIANTS[name])
    found = rw_meta.variants(game, mu, advice, [name])[name]
    np.testing.assert_array_equal(found, play(meta, advice.reports))


def test_the_schema_lists_the_families():
    schema = yaml.safe_load(
        (Path(__file__).parents[4] / "config" / "schema.yaml").read_text(encoding="utf-8")
    )
    assert schema["$defs"]["family"]["enum"] == [*FAMILIES]


@each(
    ("change", "word"),
    [
        *(({"windows": windows}, "window") for windows in ([0], [-1], [2, 0])),
        *(({"strengths": {"a": strength}}, "strength") for strength in (0, -1, math.nan, math.inf)),
    ],
)
def test_learners_that_cannot_be_are_refused(change, word):
    with pytest.raises(InputError, match=word):
        plays("rw-meta", a_game(), **change)
    [name] = rw_meta.settings_of(LEARNERS | {"windows": [1], "strengths": {"a": 1e-9}})  # the least
    assert name == "learner/w1-a"
