"""P-COMW as it plays, against its exact law, and at the ends of its parameters."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from private_experts.private_oco import gaussian
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from private_experts.replication.papers.p001.chains import joint_laws
from private_experts.saving import load_state_dict, state_dict
from tests.each import each

FALSE_ALARM = 1e-6
FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(8), beta=2.0, lam=12.0)


def played(losses, log_phi, p, budget, repetitions, *key, family=FAMILY):
    """All actions (T, repetitions, ...) and how often was drawn anew before each round."""
    rng = rng_for(0, "test pcomw", *key)
    learner = PCOMW(family, log_phi=log_phi, p=p, budget=budget, rng=rng, repetitions=repetitions)
    actions, draws = [], []
    for loss in losses:
        actions.append(learner.predict())
        draws.append(learner.draws.copy())
        learner.update(loss)
    return np.array(actions), np.array(draws)


@each("budget", [math.inf, 2.5])
@each(("log_phi", "p"), [(0.05, 0.1), (0.6, 0.0)])
def test_its_plays_have_the_exact_law_of_point_and_draws(log_phi, p, budget):
    losses, size = LOSSES["linear"](FAMILY, 12, 1.0, rng_for(0, "test pcomw losses")), 20_000
    actions, draws = played(losses, log_phi, p, budget, size, log_phi, p, budget)
    law = joint_laws(FAMILY.laws(losses), log_phi, p, budget)
    for t in (1, 5, 11):
        seen = np.zeros(law[t].shape)
        np.add.at(seen, (draws[t], actions[t]), 1)
        expected = size * law[t]
        rare = expected < 5
        cells = np.append(expected[~rare], expected[rare].sum() + 1e-9)
        counts = np.append(seen[~rare], seen[rare].sum())
        if cells[-1] < 5:
            cells, counts = cells[:-1], counts[:-1]
            cells = cells * counts.sum() / cells.sum()
        assert stats.chisquare(counts, cells, sum_check=False).pvalue > FALSE_ALARM / 24


def test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit():
    rounds, copies, log_phi, p = 200, 50, 0.3, 0.2
    rng, again = (rng_for(0, "digits of lotteries") for _ in range(2))
    player = PCOMW(FAMILY, log_phi=log_phi, p=p, budget=math.inf, rng=rng, repetitions=copies)
    total = FAMILY.nothing
    before = FAMILY.law(total)
    played = before.sample(again, copies)
    for loss in LOSSES["linear"](FAMILY, rounds, 1.0, rng_for(0, "test digits")):
        np.testing.assert_array_equal(player.predict(), played)
        player.update(loss)
        total = total + loss
        law = FAMILY.law(total)
        ratio = law.log_density(played) - before.log_density(played) - log_phi
        for_the_loss, for_none = again.random((2, copies))
        kept = (for_the_loss < np.exp(np.clip(ratio, -2 * log_phi, 0))) & (for_none >= p)
        played[~kept] = law.sample(again, np.count_nonzero(~kept))
        before = law


def test_p_1_draws_in_each_round_and_a_spent_budget_never_again():
    losses = LOSSES["linear"](FAMILY, 9, 1.0, rng_for(0, "test ends"))
    _, draws = played(losses, 0.1, 1.0, math.inf, 50, "always")
    np.testing.assert_array_equal(draws, np.arange(9)[:, None] * np.ones(50))
    actions, draws = played(losses, 0.1, 1.0, 4, 50, "four")
    assert draws.max() == 4
    assert (actions[4:] == actions[4]).all()


def test_without_losses_and_scale_the_first_point_is_kept_for_good():
    actions, draws = played(np.zeros((20, 8)), 0.0, 0.0, math.inf, 30, "idle")
    assert (actions == actions[0]).all()
    assert not draws.any()


def test_changing_a_round_changes_no_action_up_to_it():
    losses = LOSSES["linear"](FAMILY, 10, 1.0, rng_for(0, "test look ahead"))
    before, _ = played(losses, 0.3, 0.1, math.inf, 200, "same")
    for t in (0, 4, 8):
        changed = losses.copy()
        changed[t] = -losses[t]
        after, _ = played(changed, 0.3, 0.1, math.inf, 200, "same")
        np.testing.assert_array_equal(after[: t + 1], before[: t + 1])
        assert (after != before).any()


@each("domain", [Box([-0.4, -0.2], [0.4, 0.2]), Ball(2, 0.5)])
@each("kind", [PCOMW, GibbsEveryRound])
def test_known_losses_are_played_as_one_by_one(
    kind: Any, domain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaussian, "_AT_ONCE", 7)
    lottery = {"log_phi": 0.1, "p": 0.3, "budget": math.inf} if kind is PCOMW else {}
    losses = rng_for(0, "known losses").normal(size=(20, 2)) / 5
    settings = {**lottery, "rng": 0, "repetitions": 200, "horizon": 21}
    played = []
    for known in (False, True):
        family, plays, state = LinearGibbs(domain, beta=10.0, lam=3.0), [], None
        for part in (losses[:10], losses[10:]):  # the second one by a game that was saved and goes on
            learner = kind(family, **settings)
            if state:
                load_state_dict(state, learner)
            rounds = learner.updates(part) if known else map(learner.update, part)
            plays.extend(learner.predict() for _ in rounds)
            state = state_dict(learner)
        played.append(plays)
    assert np.array_equal(*played)


@each("kind", [PCOMW, GibbsEveryRound])
def test_a_subclass_that_learns_otherwise_does_so_from_known_losses_too(kind: Any) -> None:
    losses_seen: list[float] = []
    listener = type("Listener", (kind,), {"update": lambda self, loss: losses_seen.append(float(loss[0]))})
    lottery = {"log_phi": 0.1, "p": 0.3, "budget": math.inf} if kind is PCOMW else {}
    learner = listener(LinearGibbs(Box([-0.5], [0.5]), beta=10.0, lam=3.0), **lottery, rng=0, horizon=4)
    assert len([*learner.updates(np.array([[0.5], [0.25]]))]) == 2
    assert losses_seen == [0.5, 0.25]
