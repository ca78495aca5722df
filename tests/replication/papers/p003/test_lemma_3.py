"""Composition of Algorithm 1's coordinates in ball arithmetic, and mutants."""

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import lemma_3
from tests.each import each
from tests.replication.papers.small_checks import verdict, wrong

COMPOSED = {"K": [2, 128, 512], "eps": [1.0], "delta": [1e-5], "level": [0.01, 0.1]}


def test_composition_holds() -> None:
    points = lemma_3.lemma_3(COMPOSED)
    assert decide(points) == "holds"
    stated = [point for point in points if point.where["quantity"] == "epsilon, noise of the statement"]
    assert all(point.value <= 0.5 * point.bound for point in stated)
    assert all(0.1 < point.notes["sufficient_noise"] < 0.5 for point in stated)


@each(
    ("name", "factor"),
    [("coordinate_level", 2.5), ("advanced", 0.75)]
    + [(name, 1.001) for name in ("spent", "worst_delta", "optimal_delta")],
)
def test_another_level_or_total_of_composition_is_caught(name, factor) -> None:
    with wrong(lemma_3, name, factor):
        assert verdict(lemma_3.lemma_3, COMPOSED) == "fails"
