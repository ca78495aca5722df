"""Which distribution is chosen in the batch setting, and mutants."""

import numpy as np
import pytest

from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import batch_choices
from private_experts.replication.papers.p003.batch_choices import pairs_of
from private_experts.replication.papers.p003.classes import dirichlet, tilted
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

GAME = {"K": [7], "eps": [1.0], "apart": [2.0], "T": 100_000}


def test_the_posterior_chooses_better_than_tournaments() -> None:
    points = batch_choices.batch(GAME, 200, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points)
    same, other = points
    assert 0 < same.notes["wrong"] < same.notes["rival_wrong"] < other.notes["rival_wrong"]


def test_a_program_that_names_the_least_probable_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = HadamardResponse.losses
    monkeypatch.setattr(HadamardResponse, "losses", lambda self, f: -losses(self, f))
    assert verdict(batch_choices.batch, GAME, 200) == "fails"


def masses(f, classes):
    """Return the probability of each pair's labels."""
    return np.array([f @ where for *_, where in pairs_of(classes)])


def test_a_rival_who_is_told_more_is_caught() -> None:
    """The mutant: users who are asked about one pair tell the truth."""

    def told_the_truth(right, mechanism, f, truth, repetitions, rng):
        return np.tile(masses(f[truth], f), (repetitions, 1))

    with wrong(batch_choices, "_compared", told_the_truth):
        assert failing(batch_choices.batch(GAME, 200, SEED), "rival") == {"comparisons"}


def test_with_exact_masses_the_truth_wins_the_tournament() -> None:
    classes = dirichlet(6, 8, 0.5, rng_for(0, "tournament"))
    for truth, f in enumerate(classes):
        assert batch_choices.tournament(masses(f, classes)[None], classes).tolist() == [truth]


def test_the_estimates_are_unbiased() -> None:
    mechanism, classes = HadamardResponse(3, PureDP(1.0, "local"), labels=4, horizon=10_000), tilted(3, 0.7)
    law = classes[2] @ mechanism.channel
    np.testing.assert_allclose(batch_choices.law_of_labels(10_000 * law[None], mechanism)[0], classes[2])
    compared = batch_choices._compared(mechanism, classes, 2, 4000, rng_for(0, "compared"))
    off = np.abs(compared.mean(axis=0) - masses(classes[2], classes))
    # Six standard errors: a false alarm below 1e-7.
    assert (off < 6 * compared.std(axis=0) / np.sqrt(4000)).all()
