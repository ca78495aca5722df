"""Steps of the library are found, left out one at a time, and put back; what becomes of a check is told apart."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.games import regret
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point
from private_experts.walks import gap
from tests.each import each
from tests.power.left_out import fate, left_out, summary
from tests.power.steps import (
    PACKAGE,
    Step,
    code_of,
    function_of,
    in_turn,
    is_stepped,
    steps_of,
    taken,
    tree_of,
    without,
)
from tests.replication.ledger.ledgers import KNOWN

CODE = '''
def walk(total, gains, rows, most):
    """Words are no step."""
    checked(gains)
    if most < 1:
        raise ValueError
    size = len(gains)
    total += gains.sum()
    gains = check_gains(gains)
    rows[0] = 1
    print(size)
    while True:
        size = size - 1
        if size == 0:
            rows[1] = 2
            break
    return total

class Player:
    def __init__(self, n):
        super().__init__(n)
        self.n = n
        self.told[0] = n

    def update(self, gains):
        def inner(x):
            x = x + 1
            return x
        self.n = inner(self.n)
        fresh, self.m = 1, 2
        fresh = 2
'''


def test_steps_change_what_is_there_already_and_refuse_nothing(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(CODE)
    assert [(step.function, step.text) for step in steps_of(path)] == [
        ("walk", "total += gains.sum()"),
        ("walk", "rows[0] = 1"),
        ("walk", "print(size)"),
        ("walk", "size = size - 1"),
        ("walk", "if size == 0:"),
        ("walk", "rows[1] = 2"),
        ("Player.__init__", "self.told[0] = n"),
        ("Player.update", "x = x + 1"),
        ("Player.update", "self.n = inner(self.n)"),
        ("Player.update", "fresh = 2"),
    ]


def test_steps_are_those_of_the_library_and_of_batching() -> None:
    inside = ("walks/gap.py", "replication/study/batching/batch_size_laws.py")
    outside = ("validation.py", "replication/intervals.py", "replication/ledger/evidence.py")
    assert [is_stepped(PACKAGE / name) for name in inside] == [True, True]
    assert not any(is_stepped(PACKAGE / name) for name in outside)
    assert not is_stepped(Path(np.__file__))


def step_of(path: str, text: str) -> Step:
    (found,) = [step for step in steps_of(PACKAGE / path) if step.text == text]
    return found


def perturbed() -> Any:
    return SimulatedNoise(rng_for(1, "noise")).perturb(np.ones(4), 2.0, 3)


def test_only_steps_that_run_are_taken() -> None:
    texts = {str(step).partition(" ")[2] for step in taken(perturbed)}
    assert {"report *= scale", "report += values"} <= texts
    assert "if _silent(scale):" not in texts  # the condition is looked at, its body does not run
    assert "if _silent(scale):" in {
        step.text for step in taken(lambda: SimulatedNoise(rng_for(1, "noise")).perturb(np.ones(4), 0.0, 3))
    }


def test_a_step_is_left_out_and_put_back() -> None:
    before = perturbed()
    with without(step_of("privacy/noise.py", "report += values")):
        assert perturbed() == pytest.approx(before - 1)
    assert np.array_equal(perturbed(), before)


def test_the_body_of_a_condition_is_left_out_and_the_rest_runs() -> None:
    lead = np.array([[1.0, 4.0]])
    with without(step_of("walks/gap.py", "if last == 2:")):
        assert gap.leading_gap(lead) == 3.0  # the way of more than two experts finds the same


def test_the_code_of_every_function_with_steps_is_found_whatever_decorates_it() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        if is_stepped(path):
            module = compile(tree_of(path), str(path), "exec", dont_inherit=True)
            for step in {step.function: step for step in steps_of(path)}.values():
                assert code_of(module, step.function) == function_of(step).__code__


def test_one_step_of_each_function_comes_before_a_second_whatever_the_lines() -> None:
    path = PACKAGE / "games/regret.py"
    steps = [Step(path, name, 10 * k, 4, f"x += {k}", range(1)) for k, name in enumerate("aaaabbc")]
    turn = in_turn(steps, "000/a")
    assert {step.function for step in turn[:3]} == {*"abc"}
    assert sorted(map(str, turn)) == sorted(map(str, steps))
    below = [replace(step, line=step.line + 7) for step in steps]
    assert [step.text for step in in_turn(below, "000/a")] == [step.text for step in turn]
    assert [step.text for step in in_turn(steps, "000/b")] != [step.text for step in turn]


def raising(error: BaseException) -> Callable[[], Sequence[Point]]:
    def check() -> Sequence[Point]:
        raise error

    return check


def endless() -> Sequence[Point]:
    while True:
        pass


@each(
    ("check", "end"),
    [
        (lambda: [Point({}, 3.0, 2.0)], "noticed"),
        (lambda: [Point({}, 1.0, 2.0, high=3.0)], "noticed"),
        (list, "noticed"),  # no point is left
        (raising(InputError("all repetitions are equal")), "noticed"),
        (raising(InputError("a gain is above 1")), "crashed"),
        (raising(ZeroDivisionError()), "crashed"),
        (endless, "endless"),
        (lambda: [Point({}, 1.5, 2.0)], "passed"),
        (lambda: [Point({}, 1.0, 2.0)], "unchanged"),
    ],
)
def test_what_becomes_of_a_check_is_told_apart(check: Any, end: str) -> None:
    assert fate(check, [Point({}, 1.0, 2.0)], 0.05) == end


def best_of_two(grid: Any, repetitions: int, seed: int) -> Sequence[Point]:
    gains = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    switches = int((np.diff(regret.best_sequence(gains, 1)) != 0).sum())
    return [Point({}, float(switches), 1.0), Point({}, float(switches), 1.0, sense=">=")]


def test_a_check_notices_that_the_library_forgets_a_step() -> None:
    found = left_out(KNOWN.claims["000/theorem-1"], best_of_two, {}, 1)
    assert found["noticed"] >= 2
    assert found["steps"] == sum(found[name] for name in ("noticed", "crashed", "endless", "unchanged")) + len(
        found["passed"].split(" | ") if found["passed"] else []
    )
    blind = left_out(KNOWN.claims["000/theorem-1"], lambda *_: best_of_two(*_) and [Point({}, 0.0, 1.0)], {}, 1)
    assert blind["noticed"] == 0


def test_what_passed_is_named_by_file_function_and_line() -> None:
    step = step_of("privacy/noise.py", "report += values")
    told = summary({step: "passed", step_of("privacy/noise.py", "report *= scale"): "noticed"})
    assert told == {
        **{"steps": 2, "noticed": 1, "crashed": 0, "endless": 0, "unchanged": 0},
        "passed": f"privacy/noise.py:SimulatedNoise.perturb:{step.line} report += values",
    }
