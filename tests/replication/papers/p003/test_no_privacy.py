"""The rate without privacy, by enumeration, and mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import label_mixture
from private_experts.replication.papers.p003 import no_privacy
from tests.replication.papers.p003.wrong_learners import Stubborn
from tests.replication.papers.small_checks import failing, verdict

ALL = {"class": ["leaning 2", "uneven"], "features": ["constant", "moving"], "T": [2, 4]}


def test_the_bayes_mixture_loses_log_k_at_most() -> None:
    points = no_privacy.no_privacy(ALL)
    assert verdict(no_privacy.no_privacy, ALL) == "holds"
    lazy = {
        (point.where["class"], point.where["T"]): point.lazy_fails
        for point in points
        if point.lazy is not None
    }
    assert lazy["leaning 2", 2]
    assert not lazy["uneven", 2]


def test_a_library_that_learns_nothing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_mixture, "WeightedMajority", Stubborn)
    assert failing(no_privacy.no_privacy(ALL), "what") == {"library"}


def test_weights_that_forget_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant of the check itself: each round begins anew, and then the risk grows with the rounds."""
    played = no_privacy._mixtures

    def forgets(rounds: Any, likelihoods: Any, chance: Any) -> Any:
        for t in range(len(rounds)):
            yield from played(rounds[t : t + 1], likelihoods, chance)

    monkeypatch.setattr(no_privacy, "_mixtures", forgets)
    assert {"risk", "chain rule", "library"} == failing(no_privacy.no_privacy(ALL | {"T": [5]}), "what")


def test_features_that_move_show_the_same_distributions() -> None:
    f = no_privacy.CLASSES["uneven"]
    first, second, *_, last = no_privacy.rounds_of(f, 4, "moving")
    assert first == last == f
    assert [sorted(row) for row in second] == [sorted(row) for row in f]
    assert second != f
    assert np.array(no_privacy.leaning(3), dtype=float).sum(axis=1).tolist() == [1.0, 1.0, 1.0]
