"""A hospital draws only what its own setting, its own largest level and the week's announcement agree on."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.hospitals.hospital import LIMIT, Hospital, density, drawn
from examples.hospitals.reading import RefusedError, grid, read_report
from examples.hospitals.setting import FILE, Setting
from private_experts.errors import InputError
from private_experts.privacy import SecureNoise
from tests.each import each
from tests.examples.hospitals.desk import SETTING
from tests.examples.hospitals.street import Recorder, Street


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path / "world", {name: {1: 27} for name in SETTING.beds}, SETTING)
    street.begin()
    yield street
    street.close()


def settle(street: Street, name: str, setting: Setting, limit: float) -> Hospital:
    """Change what one hospital has agreed to, and begin it again."""
    (street.house(name) / FILE).write_text(setting.text())
    (street.house(name) / LIMIT).write_text(f"{limit}\n")
    street.begin(name)
    return street.hospitals[name]


def assert_untouched(street: Street, name: str) -> None:
    """Nothing was drawn, sent or kept by a hospital."""
    assert street.noise[name].asked == []
    assert street.lines[name].sent == []
    assert list((street.house(name) / "outbox").glob("*")) == []
    assert not (street.house(name) / "drawn.log").exists()


def test_a_level_above_the_hospitals_largest_is_refused_before_anybody_is_asked(street: Street) -> None:
    with pytest.raises(
        InputError, match=r"H03: nothing is drawn, as its setting.json has level 50 and its largest is 1"
    ):
        settle(street, "H03", replace(SETTING, mu=50.0), 1.0)
    assert_untouched(street, "H03")


def test_a_level_that_is_wrong_in_one_hospital_is_refused_before_it_draws_week_after_week(street: Street) -> None:
    settle(street, "H03", replace(SETTING, mu=50.0), 100.0)
    for _ in range(3):
        with pytest.raises(InputError, match=r"nothing is drawn or sent.*level: here 50\.0, there 1\.0"):
            street.attend("H03")
        street.attend("H01", "H02")
        street.desk.now += 10.0
        street.desk.coordinator.close_if_due()
    assert_untouched(street, "H03")
    assert street.desk.store.reports(1)[0].keys() == {"H01", "H02"}


def test_a_largest_level_that_is_lowered_holds_from_then_on(street: Street) -> None:
    (street.house("H01") / LIMIT).write_text("0.5\n")
    with pytest.raises(InputError, match=r"level 1 and its largest is 0\.5"):
        street.attend("H01")
    assert_untouched(street, "H01")


PROMISE = SETTING.promise()
OTHER = {
    "version": 2, "level": 1.0000001, "adjacency": "removal", "rule": "shared", "beds": "0" * 64,
    "sensitivity": PROMISE["sensitivity"] / 2,
}  # fmt: skip


@each("promise", [
    None, [], "1.0", {}, PROMISE | {"more": 1},
    *[PROMISE | {name: other} for name, other in OTHER.items()],
    *[{name: value for name, value in PROMISE.items() if name != left} for left in PROMISE],
])  # fmt: skip
def test_any_other_promise_is_refused_before_a_draw(street: Street, promise: Any) -> None:
    assert OTHER.keys() == PROMISE.keys()
    assert PROMISE["sensitivity"] == pytest.approx(np.sqrt(2) / 80)
    assert PROMISE["beds"] != replace(SETTING, beds=SETTING.beds | {"H03": 201}).promise()["beds"]
    street.lines["H01"].announced = {"promise": promise}
    with pytest.raises(InputError, match="announces another promise") as caught:
        street.attend("H01")
    assert "\n" not in str(caught.value)
    assert_untouched(street, "H01")


def test_a_hospital_with_another_number_of_weeks_says_so_and_does_not_end_early_in_peace(street: Street) -> None:
    for weeks in (2, 9):
        settle(street, "H03", replace(SETTING, weeks=weeks), 1.0)
        with pytest.raises(InputError, match=f"setting.json has {weeks} weeks and the coordinator announces 4"):
            street.attend("H03")
        assert_untouched(street, "H03")


def test_what_the_coordinator_refuses_as_not_agreed_on_ends_the_hospital(street: Street) -> None:
    street.desk.coordinator.setting = replace(SETTING, mu=0.5)  # it announces one thing and counts another
    with pytest.raises(InputError, match="week 1: nothing more is sent, as it was refused: The scale must be"):
        street.attend("H01")


@each("text", ["", "0", "-1", "nan", "inf", "one", "1.0 2.0"])
def test_a_largest_level_that_is_none_is_told(street: Street, text: str) -> None:
    (street.house("H01") / LIMIT).write_text(text)
    with pytest.raises(InputError, match="write the largest level this hospital agrees to"):
        street.begin("H01")


def test_each_hospital_has_noise_for_its_own_beds_and_the_week_its_level_exactly() -> None:
    for name, beds in SETTING.beds.items():
        noise = Recorder()
        report = drawn(27 / beds, SETTING, name, noise)
        assert noise.asked == [([27 / beds], pytest.approx(np.sqrt(2) / beds))]
        assert report.scale == SETTING.scale(name)
    assert SETTING.level() == pytest.approx(1.0, rel=1e-12)
    assert SETTING.level(twice="H02") == pytest.approx(np.sqrt(1.5))  # for somebody of H02 or of another
    moves = [(density(21, SETTING, name) - density(20, SETTING, name)) / SETTING.scale(name) for name in SETTING.beds]
    assert max(np.hypot(one, other) for one, other in itertools.pairwise(moves)) == pytest.approx(SETTING.mu)


def test_a_hospital_that_is_wrong_about_others_beds_is_refused_and_would_not_have_less_noise(street: Street) -> None:
    wrong = replace(SETTING, beds=SETTING.beds | {"H01": 8000})
    assert wrong.scale("H03") == SETTING.scale("H03")
    settle(street, "H03", wrong, 1.0)
    with pytest.raises(InputError, match="beds: here"):
        street.attend("H03")
    assert_untouched(street, "H03")


@each("scale", [0.5, 1e-2, 2.0**-10, 0.9 * 2.0**-10, 1e-4, 1e-6])
def test_the_grid_is_that_of_secure_noise(scale: float) -> None:
    pytest.importorskip("opendp", reason="secure noise needs the optional extra 'examples'")
    values = SecureNoise().perturb(np.full(200, 1 / 3), scale, 1)[0] * 2.0 ** grid(scale)
    assert all(value.is_integer() for value in values)
    assert any(value % 2 for value in values)


def test_fine_noise_of_a_large_hospital_is_counted() -> None:
    fine = Setting({"H01": 60, "H02": 4000}, 1.0, 4, 0, 1.0, 2.0)
    scale = fine.scale("H02")
    assert grid(scale) == 32
    right = {"week": 1, "value": 0.5 + 2.0**-32, "scale": scale}
    assert read_report(json.dumps(right).encode(), fine, "H02").value == right["value"]
    with pytest.raises(RefusedError, match=r"multiple of 2\^-30"):
        read_report(json.dumps(right | {"scale": fine.scale("H01")}).encode(), fine, "H01")
