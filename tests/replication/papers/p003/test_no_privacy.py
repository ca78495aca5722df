"""The rate without privacy, by enumeration, and mutants."""

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import no_privacy
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import failing

ALL = {"class": ["leaning 2", "uneven"], "features": ["constant", "moving"], "T": [2, 4]}


def test_the_bayes_mixture_loses_log_k_at_most_and_a_library_that_learns_nothing_is_caught() -> None:
    points = no_privacy.no_privacy(ALL)
    assert decide(points) == "holds"
    lazy = {(p.where["class"], p.where["T"]): p.lazy_fails for p in points if p.lazy is not None}
    assert lazy["leaning 2", 2]
    assert not lazy["uneven", 2]
    with nothing_learnt():
        assert failing(no_privacy.no_privacy(ALL), "what") == {"library"}
