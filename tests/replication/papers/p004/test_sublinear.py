"""Sub-linear regret: each check gives its verdict, and another one when something is wrong."""

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import sublinear
from tests.each import each
from tests.replication.papers.small_checks import failing, wrong

NOISE = {"noise": ["laplace", "gaussian"], "T": [10**4, 10**8], "S": [1, 100], "level": [1.0]}
DRAWS = {"T": [10**12], "S": [1, 10], "epsilon": [0.1, 1.0]}
LONG = {"T": [10**16], "S": [1, 9]}


def test_noise_for_the_whole_vector_drowns_the_best_expert_and_the_printed_noise_does_not() -> None:
    points = sublinear.noisy_share_printed(NOISE)
    assert decide(points) == "fails"
    assert all(point.value > 0.9 for point in points)

    def printed(right, law, rounds, n, level):
        return right(law, rounds, n, level * (n if law == "laplace" else n**0.5))

    with wrong(sublinear, "right_by_noise", printed):
        assert decide(sublinear.noisy_share_printed({**NOISE, "noise": ["laplace"]})) == "holds"


def test_a_little_delta_makes_regret_sublinear_and_none_does_not() -> None:
    points = sublinear.softmax_adaptive(DRAWS)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and not point.vacuous for point in points)
    assert decide(sublinear.softmax_adaptive({**DRAWS, "epsilon": [1e-6]})) == "fails"  # at the threshold
    with wrong(sublinear, "rate_within", lambda right, *given: (right(*given)[0] / 2, None)):
        assert decide(sublinear.softmax_adaptive(DRAWS)) == "fails"


def test_a_wrong_reference_is_told_from_the_one_that_is_meant() -> None:
    assert decide(sublinear.contrast_printed(LONG)) == "fails"
    assert decide(sublinear.contrast_mended(LONG)) == "holds"
    assert decide(sublinear.contrast_mended({"T": [10**8], "S": [10]})) == "fails"


@each(("factor", "caught"), [(1, set()), (1 / 8, {"regret"}), (8, {"epsilon"})])
def test_the_tracker_with_another_step_is_caught(factor, caught) -> None:
    def other(right, *given):
        settings = right(*given)
        return settings._replace(eta=settings.eta * factor)

    with wrong(sublinear, "batched", other):
        points = sublinear.shifting_separation(LONG)
    assert failing(points, "what") == caught
    assert {point.where["what"] for point in points} >= {"regret", "epsilon"}
    assert decide([point for point in points if point.where["what"] not in caught]) == "holds"
