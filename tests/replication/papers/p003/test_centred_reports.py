"""Centred reports: their bound, the step of its proof, an adaptive adversary, and mutants."""

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import centred_reports as checks
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, failing, wrong

GAMES = {"class": ["needle 0.9"], "T_long": [10**6], "eps": [1.0], "features": ["late"], "T": [500], "K": [4]}
GAMES |= {"eps_low_privacy": [4.0], "excess": {"L": [5.0], "rb": [1e-6, 0.5], "eps": [1.0], "d": [0.0, 5.0]}}
GAMES |= {"formula": {"K": [16], "T": [100], "eps": [1.0]}}
NO_GAMES = GAMES | {"class": [], "features": []}
ADAPTIVE = {"algorithm_at_eps": {"algorithm 2": 1000.0, "centred reports": 4.0}, "K": [4], "T": 600}
ADAPTIVE |= {"amplitude": 0.9}


def test_the_risk_is_under_a_bound_that_says_something() -> None:
    points = checks.centred_reports(GAMES, 20, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)
    shares = [point.notes["of_theorem_5"] for point in points if "of_theorem_5" in point.notes]
    assert 0 < min(shares) < max(shares) < 0.3


def test_where_the_bound_is_above_t_log_k_the_points_are_vacuous() -> None:
    points = checks.centred_reports(GAMES | {"T_long": [500], "T": [50]}, 40, SEED)
    assert all(point.vacuous for point in points if point.trivial is not None)
    assert decide(points) == "undecided"


def test_a_learner_who_learns_nothing_is_caught() -> None:
    centred = ADAPTIVE | {"algorithm_at_eps": {"centred reports": 4.0}}
    with nothing_learnt():
        assert caught(lambda: checks.centred_reports(GAMES, 20, SEED))
        assert caught(lambda: checks.adaptive(centred, 10, SEED))


def test_the_step_of_the_proof_and_the_formula_hold() -> None:
    points = checks.centred_reports(NO_GAMES, 2, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"u", "excess", "factor", "formula"}


@each(
    ("name", "mutant", "caught"),
    [
        ("_mean_of_exponential", lambda right, d: (1.01 * right(d)[0], right(d)[1]), {"u"}),
        ("_noise_factor", 1.01, {"factor"}),
        ("excess", 1 - 1e-6, {"excess"}),
        ("excess", 1 + 1e-6, {"excess"}),
        ("centred_bound", 1 - 1e-8, {"formula"}),
        ("centred_bound", 1 + 1e-8, {"formula"}),
    ],
)
def test_a_step_or_a_bound_that_is_a_little_off_is_caught(name, mutant, caught) -> None:
    with wrong(checks, name, mutant):
        assert failing(checks.centred_reports(NO_GAMES, 2, SEED), "what") == caught


def test_an_adversary_who_sees_the_weights_does_not_break_the_bounds() -> None:
    points = checks.adaptive(ADAPTIVE, 15, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)
    # a bound of a twentieth would be caught
    assert all(point.interval[0] > point.bound / 20 for point in points)
