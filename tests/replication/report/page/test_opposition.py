"""The picture of why a theorem fails shows rows of the evidence, each kind of learners as a line."""

from private_experts.replication.report.page import opposition
from private_experts.replication.report.page.opposition import LEARNERS, PRINTED, UNMOVED, points
from tests.replication.ledger.ledgers import KNOWN

POINT = {"low": "90", "high": "110", "bound": "50", "best": "expectation", "eta": "3.0"}


def row(learners: str, rounds: int, value: float, **more: str) -> dict[str, str]:
    return POINT | {"learners": learners, "T": str(rounds), "value": str(value)} | more


EVIDENCE = {
    PRINTED: [
        row("contrary", 200, 100),
        row("contrary", 200, 900, eta="1.5"),
        row("contrary", 200, 900, best="hindsight"),
        row("contrary", 3200, 500, low="480", high="520"),
        row("chasing", 1600, 50),
    ],
    UNMOVED: [
        {**POINT, "T": rounds, "value": value, "vacuous": vacuous, "eta": eta}
        for rounds, value, vacuous, eta in (
            *(("100", "5", "False", "1.0"), ("100", "10", "False", "3.0"), ("100", "49", "True", "3.0")),
            ("1600", "3", "False", "0.01"),
        )
    ],
}


def test_points_are_those_of_one_scale_of_noise_and_the_nearest_to_the_bound() -> None:
    assert [point["times"] for point in points(EVIDENCE, "contrary")] == [2, 10]
    # 10 of 50, and none that is vacuous.
    assert [point["times"] for point in points(EVIDENCE, "")] == [0.2, 0.06]
    assert points({}, "contrary") == points({}, "") == []


def test_the_claims_have_these_learners() -> None:
    played = {name for pair in KNOWN.claims[PRINTED].grid["pairs"] for name in pair["learners"]}
    assert {name for _, name in LEARNERS if name} == played
    assert all(opposition.ETA in pair["eta"] for pair in KNOWN.claims[PRINTED].grid["pairs"])
    assert UNMOVED in KNOWN.claims
