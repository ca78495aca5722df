"""Games on own counts: the noise, its level, and that both mechanisms are one where beds are equal."""

import math
from dataclasses import replace

import numpy as np
import pytest

from private_experts.algorithms import CreditedLeader, Decorrelation, RWMeta
from private_experts.errors import InputError
from private_experts.games import play as played
from private_experts.learners import LinearFilters, trend_weights
from private_experts.privacy import GaussianDP, Reports, own_level, own_scales
from private_experts.privacy.factorization import geometric
from private_experts.randomness import rng_for
from private_experts.replication.study import hospital_game
from private_experts.replication.study.own_counts import own_games as room
from tests.each import each
from tests.replication.study.plays import LEARNERS, a_panel

WEEKS, HOSPITALS, COPIES = 12, 4, 6
BEDS = rng_for(1, "beds for tests").uniform(5, 300, (WEEKS, HOSPITALS))


def a_game(levels=(0.5,), beds=BEDS, adjacency="move", reach=1.0):
    panel = a_panel(WEEKS, HOSPITALS)
    panel = replace(panel, beds=beds, smallest_beds=beds.min(axis=1))
    return hospital_game.game(panel, "NM", levels, COPIES, 5, adjacency, reach)


def by_name(game, contenders=(*room.LOCAL, *room.CENTRAL)):
    names = [room.name_of(mechanism, name) for mechanism in room.MECHANISMS for name in contenders]
    made = room.play(game, LEARNERS, names)
    found = {(each_.algorithm, each_.mu): each_ for each_ in made}
    assert len(found) == len(made)
    return found


@each("adjacency", ["move", "removal"])
def test_reports_on_own_counts_have_the_level_exactly_and_no_less_noise_would(adjacency):
    above_one = 0.5 + 3 * rng_for(0, "wide reach").random((WEEKS, HOSPITALS))
    games = [(a_game(adjacency=adjacency, reach=patients), patients / BEDS) for patients in (1.0, 3.7)]
    games.append((replace(a_game(adjacency=adjacency), reach=above_one), above_one))
    moved = {"move": 2, "removal": 1}[adjacency]
    for game, reach in games:
        _, reports = room.own_follower(game, 0.5)
        for report, of_week in zip(reports, reach, strict=True):
            assert own_level(of_week, report.scale, moved) == pytest.approx(0.5, rel=1e-12)
            assert own_level(of_week, 0.99 * report.scale, moved) > 0.5 * (1 + 1e-3)


@each("adjacency", ["move", "removal"])
@each("mechanism", room.MECHANISMS)
def test_a_curators_sums_have_the_level_and_on_own_counts_noise_for_each_reach_and_share(
    mechanism, adjacency
):
    game = a_game(adjacency=adjacency)
    curator = room._Curator(game, mechanism, LEARNERS, {*room.SUMS})
    for name in room.SUMS:
        leader = curator.leader(name, 0.5)
        assert leader.guarantee.mu == pytest.approx(0.5)  # for all hospitals together
        if mechanism == "own":
            (part,) = leader._sums._parts
            np.testing.assert_array_equal(part._made_with["sensitivity"], 1 / BEDS)
            assert part.share.mu == pytest.approx(0.5 / math.sqrt(game.moved))


def test_the_noise_heard_is_that_of_the_scales():
    panel = replace(a_panel(WEEKS, HOSPITALS), beds=BEDS, smallest_beds=BEDS.min(axis=1))
    game = hospital_game.game(panel, "NM", (0.5,), 4000, 5)
    leader, reports = room.own_follower(game, 0.5)
    np.testing.assert_allclose(
        leader.total.std(axis=0), own_scales(1 / BEDS[0], GaussianDP(0.5, "local")), rtol=0.06
    )
    for report, gains, beds in zip(reports, game.gains, BEDS, strict=True):
        np.testing.assert_allclose(
            (report.values - gains).std(axis=0), math.sqrt(2) / (0.5 * beds), rtol=0.06
        )


def test_all_contenders_play_with_both_mechanisms_at_every_level():
    found = by_name(a_game((math.inf, 0.5)))
    contenders = (*room.LOCAL, *room.CENTRAL)
    assert {*found} == {
        (room.name_of(mechanism, name), mu)
        for mechanism in room.MECHANISMS
        for name in contenders
        for mu in (math.inf, 0.5)
    }
    assert {play.earned.shape for play in found.values()} == {(WEEKS, COPIES)}
    for name in {*contenders} - {room.META}:  # without privacy there is one mechanism, but for its own noise
        same, own = (found[room.name_of(mechanism, name), math.inf] for mechanism in room.MECHANISMS)
        np.testing.assert_array_equal(same.earned[1:], own.earned[1:])


def test_those_that_are_not_asked_for_do_not_play_and_the_others_play_the_same():
    game, everybody = a_game(), by_name(a_game())
    for names in (
        {"own/posterior-means", "same/square-root", "same/rw-meta"},
        {"own/rw-ftpl", "same/rw-ftpl"},
        {"own/rw-meta", "same/central-learners"},
    ):
        found = {(each_.algorithm, each_.mu): each_ for each_ in room.play(game, LEARNERS, names)}
        assert {name for name, _ in found} == names
        for key, each_ in found.items():
            np.testing.assert_array_equal(each_.earned, everybody[key].earned)


def test_rw_meta_and_the_learners_are_those_of_the_library():
    game = a_game()
    found = by_name(game, [room.META, room.LEARNERS])
    settings = [(window, strength) for window in (2, 4) for strength in (0.01, 100.0)]

    def made():
        leader, reports = room.own_follower(game, 0.5)
        first = Reports(leader.total, leader.guarantee, own_scales(game.own_reach[0], leader.guarantee))
        return [LinearFilters(trend_weights, settings, first), leader], list(reports)

    learners, reports = made()
    meta = RWMeta(
        learners,
        learners[-1].guarantee,
        rng=rng_for(5, "own-counts-rw-meta", "NM", 0.5),
        decorrelation=Decorrelation(),
    )
    expected = hospital_game.record(game, "x", 0.5, played(meta, reports))
    np.testing.assert_array_equal(found["own/rw-meta", 0.5].earned, expected.earned)
    learners, reports = made()
    credited = hospital_game.record(
        game, "x", 0.5, played(CreditedLeader(learners, GaussianDP(0.5, "local")), reports)
    )
    np.testing.assert_array_equal(found["own/learners", 0.5].earned, credited.earned)


def test_a_curator_who_takes_noise_back_keeps_the_level_for_all_hospitals_together():
    game = a_game()
    for mechanism in room.MECHANISMS:
        strategy = geometric(WEEKS, room.TAKES_BACK)
        reporting, _ = room.reporting(game, 0.5, strategy, room.HALF, own=mechanism == "own")
        assert reporting.guarantee.mu == pytest.approx(0.5)
        scales = np.array([np.broadcast_to(reporting.report(gains).scale, HOSPITALS) for gains in game.gains])
        own = scales / np.sqrt(1 + room.TAKES_BACK**2 * (np.arange(WEEKS) > 0))[:, None]
        back = np.eye(WEEKS) - room.TAKES_BACK * np.eye(WEEKS, k=-1)
        # A person of the first week moves that week's reports of two hospitals; covariance of each one's
        # reports:
        costs = []
        for i in range(HOSPITALS):
            mixing = own[:, i, None] * back
            costs.append(game.own_reach[0, i] ** 2 * np.linalg.inv(mixing @ mixing.T)[0, 0])
        level = math.sqrt(sum(sorted(costs)[-2:]))
        if mechanism == "own":
            assert level == pytest.approx(0.5 * math.sqrt(1 - room.TAKES_BACK ** (2 * WEEKS)), rel=1e-9)
        else:
            assert level <= 0.5


def test_half_of_the_noise_heard_is_taken_back_in_the_next_report():
    panel = replace(a_panel(WEEKS, HOSPITALS), beds=BEDS, smallest_beds=BEDS.min(axis=1))
    game = hospital_game.game(panel, "NM", (0.5,), 4000, 5)
    reporting, _ = room.reporting(game, 0.5, geometric(WEEKS, room.TAKES_BACK), room.HALF, own=True)
    covered_game = (
        np.array([reporting.report(gains).values - gains for gains in game.gains]) / game.own_reach[:, None]
    )
    expected = np.eye(WEEKS) - room.TAKES_BACK * np.eye(WEEKS, k=-1)
    expected = expected @ expected.T * 2 / 0.5**2 / (1 - room.TAKES_BACK**2)
    found = np.einsum("trn,srn->ts", covered_game, covered_game) / covered_game[0].size
    np.testing.assert_allclose(found, expected, atol=0.06 * expected.max())


@each("mechanism", room.MECHANISMS)
def test_posterior_means_are_told_what_is_taken_back(mechanism, monkeypatch):
    noises = []

    class Told(room.PosteriorMeans):
        def __init__(self, priors, first, reach, takes_back=0.0):
            noises.append(takes_back)
            super().__init__(priors, first, reach, takes_back)

    monkeypatch.setattr(room, "PosteriorMeans", Told)
    contenders = set(room.POSTERIORS)
    room._Curator(a_game(), mechanism, LEARNERS, contenders).actions(0.5, contenders)
    assert noises == [0.0, 0.0, room.TAKES_BACK]


def test_posterior_means_play_the_same_in_parts_of_the_repetitions(monkeypatch):
    asked = room.POSTERIOR, room.HALF, room.INDEPENDENT, room.LEARNERS_NOISE
    whole = by_name(a_game((math.inf, 0.5)), asked)
    monkeypatch.setattr(room, "_AT_ONCE", 1)
    monkeypatch.setattr(room, "_FEWEST", 2)
    parts = by_name(a_game((math.inf, 0.5)), asked)
    for key, play in whole.items():
        assert key[1] == math.inf or len({*map(tuple, play.earned.T)}) > 1  # or all parts would be alike
        np.testing.assert_array_equal(parts[key].earned, play.earned)


def test_covering_noise_is_for_what_one_person_moves_in_the_public_file():
    covering = 3 * BEDS**-1 * np.linspace(1, 2, HOSPITALS)
    panel = replace(a_panel(WEEKS, HOSPITALS), beds=BEDS, covering=covering)
    game = hospital_game.game(panel, "NM", (0.5,), COPIES, 5)
    found = {each_.algorithm: each_ for each_ in room.play_covered(game, LEARNERS)}
    assert set(found) == {room.covered(name) for name in room.COVERED}
    covered_game = replace(game, reach=covering)
    _, reports = room.own_follower(covered_game, 0.5)
    for report, reach in zip(reports, covering, strict=True):
        assert own_level(reach, report.scale) == pytest.approx(0.5, rel=1e-12)
    # One noise for all is for the two hospitals that one person moves most, of whom no more is known.
    for_all = replace(covered_game, sensitivity=math.sqrt(2) * covering.max(axis=1))
    for name in ("own/posterior-means", "same/posterior-means"):
        alone = room.play(for_all, LEARNERS, [name], per_bed=1 / BEDS)[0]
        np.testing.assert_array_equal(found[f"covered/{name}"].earned, alone.earned)
    with pytest.raises(InputError, match="NM: how far one person moves a cleaned figure is not there"):
        room.play_covered(a_game(), LEARNERS)


def test_a_panel_without_beds_is_refused():
    game = hospital_game.game(replace(a_panel(), beds=None), "NM", (0.5,), 2, 5)
    with pytest.raises(InputError, match="NM: the beds of each hospital are not there"):
        room.play(game, LEARNERS)


@each("own", [False, True])
def test_what_a_curator_begins_with_has_the_noise_that_it_states(own):
    game = replace(a_game(), repetitions=4000)
    _, first = room.reporting(game, 0.5, np.eye(WEEKS), "curator", own=own)
    scale = np.broadcast_to(first.scale, HOSPITALS)
    np.testing.assert_allclose(
        scale,
        (own_scales(1 / BEDS[0], GaussianDP(0.5, "local")) if own else game.sensitivity[0] / 0.5),
        rtol=1e-12,
    )
    np.testing.assert_allclose(first.values.std(axis=0), scale, rtol=0.06)


def test_every_state_and_mechanism_has_a_curators_noise_of_its_own():
    drawn = []
    for state in ("NM", "VT"):
        for own in (False, True):
            _, first = room.reporting(replace(a_game(), state=state), 0.5, np.eye(WEEKS), "curator", own=own)
            drawn.append((first.values / first.scale).round(6).tobytes())
    assert len(set(drawn)) == 4
