"""A sample is drawn by what hangs on a claim, and the seed draws it again."""

from collections import Counter

from private_experts.replication.ledger.errata import SEVERITIES
from private_experts.replication.verify.sampling import SEVERITY_WEIGHTS, drawn, weight
from tests.replication.ledger.ledgers import KNOWN

FATAL = next(each for each in KNOWN.claims.values() if each.erratum and KNOWN.errata[each.erratum].severity == "fatal")
PLAIN, OURS = KNOWN.claims["000/tree-nodes"], KNOWN.claims["000/curator-helps"]


def test_more_hangs_on_a_fatal_erratum_than_on_a_slip_of_print() -> None:
    assert SEVERITY_WEIGHTS.keys() <= SEVERITIES.keys()
    weights = [weight(FATAL, severity) for severity in ("fatal", "constant", "gap", "misprint")]
    assert weights == sorted(weights, reverse=True)
    assert len({*weights}) == 4


def test_what_the_paper_states_and_what_chance_could_change_weigh_twice_and_what_says_little_weighs_little() -> None:
    chancy = KNOWN.claims["000/lemma-3"]
    assert chancy.kind == "stochastic"
    assert weight(PLAIN) == 2 * weight(OURS) == weight(chancy) / 2
    shares = [weight(PLAIN, strength=name) / weight(PLAIN) for name in ("tight", "loose", "vacuous")]
    assert shares == [1.0, 0.5, 0.125]


def test_the_seed_draws_the_same_again_and_nothing_twice() -> None:
    weights = {name: weight(claim) for name, claim in KNOWN.claims.items()}
    first = drawn(weights, 10, seed=3)
    assert first == drawn(weights, 10, seed=3) != drawn(weights, 10, seed=4)
    assert len({*first}) == 10
    assert sorted(drawn({"a": 1.0, "b": 2.0}, 5, seed=1)) == ["a", "b"]


def test_draws_follow_the_weights() -> None:
    """Of 400 draws of one, 300 are expected to be the heavy one; 260 or less has a probability below 1e-5."""
    count = Counter(drawn({"light": 1.0, "heavy": 3.0}, 1, seed)[0] for seed in range(400))
    assert 260 < count["heavy"] < 340
