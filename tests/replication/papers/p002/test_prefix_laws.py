"""Laws of the prefix: the library's are among them, regrets are those of its blocks, and mistuned laws are caught."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from private_experts.games.blocks import block_regret, exact_errors
from private_experts.games.streams import KINDS, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p002 import prefix_laws
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.papers.p002.prefix_laws import PAPERS, TUNED, WHOLE, PrefixLaw, TunedPrefix
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import verdict

STREAMS = {
    "steady, volatile, epsilon": [[9999, 30, 1.0]],
    "kind, K, gap": [["deterministic", 10, 1.0]],
    "epsilon": [0.3],
}
GRID = {
    "families": [[[0.5, 0], [0.6875, 0], [1.0, 0]], [[0.5, 4]]], "gap": [0.02],
    "tuned on": STREAMS | {"spread": [0.48]}, "tried on": STREAMS | {"spread": [0.42]},
    "T": [255, 1023], "factor": 1.25, "blocks": 6,
}  # fmt: skip


def tuned(n: int, epsilon: float) -> TunedPrefix:
    return TunedPrefix(n, PureDP(epsilon, "central"), rng=rng_for(0))


def test_a_tuned_law_is_nowhere_far_behind() -> None:
    assert verdict(prefix_laws.tuned_prefix, GRID) == "holds"
    shares = {point.where["share"] for point in prefix_laws.tuned_prefix(GRID)}
    assert shares == {0.5, TUNED.share, 1.0}


def test_the_laws_that_are_found_are_those_of_the_statement() -> None:
    """Tuned on the streams on which they are tried, the second law would have the power 5."""
    grid = dict(KNOWN.claims["002/tuned-prefix"].grid)
    points = prefix_laws.tuned_prefix(grid)
    assert {(point.where["share"], point.where["power"]) for point in points} == {
        (PAPERS.share, PAPERS.power), (WHOLE.share, WHOLE.power), (TUNED.share, TUNED.power), (0.5, 4),
    }  # fmt: skip


def test_the_prefixes_are_the_librarys() -> None:
    lengths = 2 ** np.arange(9)
    algorithms = {PAPERS: algorithm_of("randomised prefix", 2, 1.0, rng_for(0)), TUNED: tuned(2, 1.0)}
    algorithms[WHOLE] = algorithm_of("whole block", 2, 1.0, rng_for(0))
    for law, algorithm in algorithms.items():
        assert [law.shortest(each) for each in lengths.tolist()] == algorithm.shortest_prefix(lengths).tolist()


@pytest.mark.parametrize(("kind", "n", "gap"), [("opposed", 2, 0.2), ("deterministic", 10, 1.0)])
def test_regrets_are_those_of_the_blocks_of_the_library(kind: str, n: int, gap: float) -> None:
    cells = {"steady, volatile, epsilon": [], "spread": [], "kind, K, gap": [[kind, n, gap]], "epsilon": [0.6]}
    [stream] = prefix_laws._streams(cells, [], 128)
    horizons, instance = [100, 255], KINDS[kind](equal_gaps(n, gap))
    for law, algorithm in ((PAPERS, algorithm_of("randomised prefix", n, 0.6, rng_for(0))), (TUNED, tuned(n, 0.6))):
        exact = [float(each) for each in stream.regrets(law, horizons)]
        assert exact == pytest.approx(block_regret(exact_errors(algorithm, instance, 8), horizons).tolist(), rel=1e-9)


def test_chances_grow_like_the_power() -> None:
    assert PrefixLaw(0.5, 2).weights(4).tolist() == [9 / 16, 1.0]
    assert PrefixLaw(0.5, 1).factor(3) == max(Fraction(4), Fraction(8 * 4, 7))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("PAPERS", PrefixLaw(0.75, 0)), ("WHOLE", PrefixLaw(0.875, 0)), ("PAPERS", PrefixLaw(0.25, 0))],
)
def test_other_laws_in_the_place_of_the_papers_are_caught(name: str, wrong: PrefixLaw, put: Any) -> None:
    put(prefix_laws, name, wrong)
    assert verdict(prefix_laws.tuned_prefix, GRID) == "fails"


def test_a_mistuned_law_is_caught() -> None:
    families = [[[0.5, 0], [0.96875, 0]], [[0.5, 12]]]
    assert verdict(prefix_laws.tuned_prefix, GRID | {"families": families}) == "fails"
