"""Generic mutants reach what they shall, and each claim has a row of the smallest defects that its check catches."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import above_threshold, selection
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.power import COLUMNS, NOISE, STEPS, UNMEASURED, read, words
from private_experts.replication.plotting.numbers import number
from tests.each import each
from tests.power.__main__ import asked_for, row_of
from tests.power.measure import power
from tests.power.noise import FUNCTIONS, noise_times
from tests.replication.ledger.ledgers import KNOWN, ROOT

TABLE = read(ROOT / "claims/power.csv")
# Without noise of their own, and measured only where a run has left the hospital data.
ON_DATA = {name for name, claim in KNOWN.claims.items() if claim.needs}


# Why no defect turns the verdict of a check.
IDLE = {"000/warm-start-iterations": "a start that says nothing leaves it undecided"}


def test_every_claim_has_a_row_and_every_row_a_claim() -> None:
    assert {*TABLE} == {*KNOWN.claims}, "run make power"


def test_every_check_catches_some_defect() -> None:
    """A check that cannot fail is a defect: some noise, bound or part can be made so wrong that the verdict turns."""
    blank = dict.fromkeys(STEPS, "")  # what crashes has caught nothing by itself
    said = {name: words({**row, **blank}) for name, row in TABLE.items() if not number(row["noticed"] or 0)}
    idle = {name for name, each in said.items() if not each.replace("no change of the noise by half or twice", "")}
    assert idle - ON_DATA == {*IDLE}


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


def test_each_function_of_noise_is_found_and_put_back() -> None:
    for kind in FUNCTIONS:
        with noise_times(1.0, kind):
            pass


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
        (lambda: drawn().size, 100.0, "<=", ("0.12", "", "", "", "")),  # it draws, but the noise does not matter
        (lambda: 3.0, 4.0, "<=", ("0.75", "", "", "", "")),
        (lambda: np.abs(drawn()).max(), 1e-6, "<=", ("", "", "", "", "")),  # it fails already
    ],
)
def test_the_smallest_factor_that_a_check_catches_is_found(value: Any, bound: float, sense: Any, row: Any) -> None:
    found = measured(value, bound, sense)
    assert tuple(found[name] for name in NOISE) == row[1:]
    assert found["bound"] == row[0] or float(found["bound"]) > 1


def test_a_check_that_refuses_equal_repetitions_has_caught_the_mutant_and_another_refusal_is_said() -> None:
    def without(message: str) -> Any:
        def value() -> float:
            if GaussianDP(1.0, "local").noise_scale(1.0) < 0.85:
                raise InputError(message)
            return GaussianDP(1.0, "local").noise_scale(1.0)

        return value

    assert measured(without("all repetitions are equal"), 9.0)["calibrated_less"] == 0.8
    assert measured(without("too little"), 9.0)["calibrated_less"] == "refused"


def test_a_row_that_was_measured_outlives_a_measurement_that_fails_and_no_other_does() -> None:
    blank = dict.fromkeys(COLUMNS, "") | {"claim": "000/a"}
    new = {"bound": "0.5", **dict.fromkeys((*NOISE, *STEPS), "")}
    made = row_of(blank, new, 3, "abc")
    assert made == blank | new | {"own": 3, "commit": "abc"}
    assert row_of(made, "no such file", 4, "def") == made
    unmeasured = row_of(blank, "no such file", 3, "abc")
    assert unmeasured == blank | {"bound": UNMEASURED, "own": 3, "commit": "abc"}
    assert row_of(unmeasured, "no such file", 4, "def") == unmeasured | {"own": 4, "commit": "def"}


def test_claims_are_asked_for_by_how_their_ids_begin() -> None:
    assert asked_for([]) == [*KNOWN.claims]
    assert asked_for(["000/theorem-3-fresh"]) == [name for name in KNOWN.claims if "000/theorem-3-fresh" in name]
    assert {name[:4] for name in asked_for(["002", "003/"])} == {"002/", "003/"}


@each("arguments", [["000/no-such"], ["002", "tree-rate"]])
def test_what_names_no_claim_is_refused_in_one_line(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"^power: no claim's id begins with '\S+'$"):
        asked_for(arguments)


def test_help_measures_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        asked_for(["--help"])
    assert stopped.value.code == 0
    assert "how ids of claims begin" in capsys.readouterr().out


HEADER = ",".join(COLUMNS)


ROW = "000/a" + ",1" * (len(COLUMNS) - 1) + "\n"
TWICE = [f"{HEADER},bound\n{ROW.strip()},2\n", f"{HEADER}\n{ROW}{ROW}"]  # a column, and a claim


@each(
    "text", [*TWICE, None, "claim,bound\n000/a,1\n", f"{HEADER}\n000/a,1\n", f"{HEADER}\n000/a{len(COLUMNS) * ','}1\n"]
)
def test_a_table_that_is_none_is_refused(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / ("none.csv" if text is None else "power.csv")
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match="twice; run make power" if text in TWICE else "run make power"):
        read(path)
