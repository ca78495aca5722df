"""The rate without privacy, by enumeration, and mutants."""

import numpy as np

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import no_privacy
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import failing, wrong

ALL = {"class": ["leaning 2", "uneven"], "features": ["constant", "moving"], "T": [2, 4]}


def test_the_bayes_mixture_loses_log_k_at_most_and_a_library_that_learns_nothing_is_caught() -> None:
    points = no_privacy.no_privacy(ALL)
    assert decide(points) == "holds"
    lazy = {(p.where["class"], p.where["T"]): p.lazy_fails for p in points if p.lazy is not None}
    assert lazy["leaning 2", 2]
    assert not lazy["uneven", 2]
    with nothing_learnt():
        assert failing(no_privacy.no_privacy(ALL), "what") == {"library"}


def test_weights_that_forget_are_caught() -> None:
    """The mutant of the check itself: each round begins anew, and then the risk grows with the rounds."""

    def forgets(right, rounds, likelihoods, chance):
        for t in range(len(rounds)):
            yield from right(rounds[t : t + 1], likelihoods, chance)

    with wrong(no_privacy, "_mixtures", forgets):
        points = no_privacy.no_privacy(ALL | {"T": [5]})
    assert failing(points, "what") == {"risk", "chain rule", "library"}


def test_features_that_move_show_the_same_distributions() -> None:
    f = no_privacy.CLASSES["uneven"]
    first, second, *_, last = no_privacy.rounds_of(f, 4, "moving")
    assert first == last == f
    assert [sorted(row) for row in second] == [sorted(row) for row in f]
    assert second != f
    assert np.array(no_privacy.leaning(3), dtype=float).sum(axis=1).tolist() == [1.0, 1.0, 1.0]
