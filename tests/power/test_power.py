"""Generic mutants reach what they shall, and the smallest defect that is caught is found."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import above_threshold, selection
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point
from tests.each import each
from tests.power.__main__ import chosen, main, power
from tests.power.noise import FUNCTIONS, How, Kind, noise_times
from tests.replication.ledger.ledgers import KNOWN


def drawn() -> np.ndarray[Any, Any]:
    return SimulatedNoise(rng_for(1, "noise")).perturb(np.zeros(4), 1.0, 3)


def test_drawn_noise_is_scaled_where_it_is_noise_alone() -> None:
    before, instance = drawn(), rng_for(1, "instance").normal(size=3)
    with noise_times(0.5, "drawn") as watch:
        assert np.array_equal(drawn(), 0.5 * before)
        assert watch.seen == 1
        assert np.array_equal(rng_for(1, "instance").normal(size=3), instance)  # a test draws no noise
        assert watch.seen == 1
        assert GaussianDP(2.0, "local").noise_scale(1.0) == 0.5
        rng = rng_for(1, "copy")
        for other in (copy.deepcopy(rng), *rng.spawn(1)):  # games make both
            SimulatedNoise(other).perturb(np.zeros(4), 1.0, 1)
        assert watch.seen == 3
    assert np.array_equal(drawn(), before)


def test_calibrated_noise_is_scaled_and_a_rate_is_its_inverse() -> None:
    law = selection.exponential_law([1.0, 0.0], 2.0)
    halts, selects = above_threshold.halting_law([3.0], 1.0), selection.report_noisy_max_law([3.0, 0.0], 1.0)
    with noise_times(0.5, "calibrated") as watch:
        assert GaussianDP(2.0, "local").noise_scale(1.0) == 0.25
        assert selection.exponential_law([1.0, 0.0], 1.0) == pytest.approx(law)
        assert watch.seen == 2
        assert above_threshold.halting_law([3.0], 0.5) == pytest.approx(halts)
        assert selection.report_noisy_max_law([3.0, 0.0], 2.0) == pytest.approx(selects)
        assert watch.seen == 4
    assert GaussianDP(2.0, "local").noise_scale(1.0) == 0.5


@pytest.mark.parametrize("kind", ["drawn", "calibrated"])
def test_noise_is_as_before_when_something_cannot_be_replaced(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tests that follow in the process would have the noise of a mutant."""
    before, scale, made = drawn(), GaussianDP(2.0, "local").noise_scale(1.0), np.random.default_rng
    absent: dict[str, How] = {**FUNCTIONS[kind], "privacy.guarantees:absent": "returned"}
    monkeypatch.setitem(FUNCTIONS, kind, absent)
    with pytest.raises(KeyError, match="absent"), noise_times(0.5, kind):
        pass
    assert np.array_equal(drawn(), before)
    assert GaussianDP(2.0, "local").noise_scale(1.0) == scale
    assert np.random.default_rng is made


def measured(value: Any, bound: float, sense: Any = "<=") -> dict[str, Any]:
    def check(grid: Mapping[str, Any], repetitions: int, seed: int) -> Sequence[Point]:
        return [Point({}, value(), bound, sense=sense)]

    return power(KNOWN.claims["000/theorem-1"], check, {}, 1)


@each(
    ("value", "bound", "sense", "row"),
    [
        (lambda: np.abs(drawn()).max(), np.abs(drawn()).max() / 0.93, "<=", ("0.93", "none", 1.1, "", "")),
        (lambda: np.abs(drawn()).max(), np.abs(drawn()).max() * 0.93, ">=", ("0.93", 0.9, "none", "", "")),
        (lambda: GaussianDP(1.0, "local").noise_scale(1.0), 0.3, ">=", ("0.3", "", "", "none", "none")),
        (lambda: GaussianDP(1.0, "local").noise_scale(1.0), 1.9, "<=", ("0.527", "", "", "none", 2.0)),
        # it draws, but the noise does not matter
        (lambda: drawn().size, 100.0, "<=", ("0.12", "", "", "", "")),
        (lambda: 3.0, 4.0, "<=", ("0.75", "", "", "", "")),
        # it fails already
        (lambda: np.abs(drawn()).max(), np.abs(drawn()).max() / 2, "<=", ("2", "", "", "", "")),
    ],
)
def test_the_smallest_factor_that_a_check_catches_is_found(
    value: Any, bound: float, sense: Any, row: Any
) -> None:
    found = measured(value, bound, sense)
    assert tuple(found.values()) == row


def test_a_check_that_refuses_equal_repetitions_has_caught_the_mutant_and_another_refusal_is_said() -> None:
    def without(message: str) -> Any:
        def value() -> float:
            if GaussianDP(1.0, "local").noise_scale(1.0) < 0.85:
                raise InputError(message)
            return GaussianDP(1.0, "local").noise_scale(1.0)

        return value

    assert measured(without("all repetitions are equal"), 9.0)["calibrated_less"] == 0.8
    assert measured(without("too little"), 9.0)["calibrated_less"] == "refused"


def test_claims_are_chosen_by_how_their_ids_begin() -> None:
    assert chosen([]) == [*KNOWN.claims]
    assert {name[:4] for name in chosen(["002", "003/"])} == {"002/", "003/"}
    with pytest.raises(SystemExit, match=r"^power: no claim's id begins with 'tree-rate'$"):
        chosen(["002", "tree-rate"])


def test_what_was_measured_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["000/tree-nodes"])
    name, _, row = capsys.readouterr().out.partition(": ")
    assert name == "000/tree-nodes"
    assert row.startswith("bound 1, drawn_less , drawn_more ,")
