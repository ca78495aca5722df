"""Panels are read as they were written, and no other file is a panel."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.study.data.panel import Panel, best_hospital, read, read_panels, write
from tests.each import each

BESIDE = ("beds", "covering")


@st.composite
def panels(draw):
    weeks, hospitals = draw(st.integers(0, 5)), draw(st.integers(0, 4))
    hospitals = hospitals if weeks else 0  # without weeks nobody reports
    positive = st.floats(min_value=0, exclude_min=True, max_value=1e6)

    def cells(of, count):
        return draw(st.lists(of, min_size=count, max_size=count))

    def grid(of):
        return np.array(cells(of, weeks * hospitals), dtype=np.float64).reshape(weeks, hospitals)

    smallest = positive if hospitals else st.just(np.nan) | positive
    return Panel(
        tuple(f"2021-01-{day:02d}" for day in range(1, weeks + 1)),
        tuple(f"01000{number}" for number in range(hospitals)),
        grid(st.floats(0, 1) | st.sampled_from([0.0, 1.0])),
        np.array(cells(smallest, weeks), dtype=np.float64),
        **{name: grid(positive) if draw(st.booleans()) else None for name in BESIDE},
    )


@settings(deadline=None, max_examples=25, derandomize=True)
@given(panel=panels())
def test_reading_undoes_writing_to_the_bit(panel, tmp_path_factory):
    path = tmp_path_factory.mktemp("panel") / "NM.csv"
    write(path, panel)
    found = read_panels([path])["NM"]
    assert (found.weeks, found.hospitals) == (panel.weeks, panel.hospitals)
    for name in ("density", "smallest_beds", *BESIDE):
        one, other = getattr(panel, name), getattr(found, name)
        assert (one is None) == (other is None)
        assert one is None or (one.shape, one.dtype, one.tobytes()) == (
            other.shape,
            other.dtype,
            other.tobytes(),
        )


def test_the_file_is_csv_that_people_can_read_and_what_was_beside_another_panel_goes(tmp_path):
    panel = Panel(("2021-01-01",), ("010001", "05T006"), np.array([[0.1, 1 / 3]]), np.array([12.0]))
    path = tmp_path / "NM.csv"
    write(path, replace(panel, beds=np.ones((1, 2))))
    assert (tmp_path / "NM.beds.csv").read_text() == "week,010001,05T006\n2021-01-01,1.0,1.0\n"
    write(path, panel)
    expected = "week,smallest_beds,010001,05T006\n2021-01-01,12.0,0.1,0.3333333333333333\n"
    assert path.read_bytes() == expected.encode()
    assert read(path).beds is None
    assert best_hospital({"NM": panel}) == {"NM": 1 / 3}


def test_a_panel_whose_parts_do_not_fit_is_not_written(tmp_path):
    panel = Panel(("2021-01-01", "2021-01-08"), ("010001",), np.zeros((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match=r"shorter|longer"):
        write(tmp_path / "NM.csv", panel)
    assert list(tmp_path.iterdir()) == []


GOOD = "week,smallest_beds,010001,010002\n2021-01-01,12.0,0.25,0.5\n2021-01-08,12.0,0.25,0.5\n"
NO_PANEL = {
    "empty": "",
    "header alone": GOOD.splitlines()[0] + "\n",
    "a line cut short": GOOD[:-10],
    "text for a number": GOOD.replace("0.25", "x"),
    "other figures": GOOD.replace("smallest_beds", "beds"),
    "a hospital twice": GOOD.replace("010002", "010001"),
    "a week twice": GOOD.replace("01-08", "01-01"),
    "no beds": GOOD.replace("12.0", "0.0", 1),
    "unknown beds": GOOD.replace("12.0", "nan", 1),
    "density unknown": GOOD.replace("0.25", "nan", 1),
    "density above 1": GOOD.replace("0.25", "1.25", 1),
    "density below 0": GOOD.replace("0.25", "-0.25", 1),
}
BEDS = "week,010001,010002\n2021-01-01,4,4\n2021-01-08,4,4\n"
NO_BEDS = {
    "empty": "",
    "a week less": BEDS[:-15],
    "another week": BEDS.replace("01-08", "01-15"),
    "another hospital": BEDS.replace("010002", "010003"),
    "none": BEDS.replace("4\n", "0\n", 1),
    "unknown": BEDS.replace("4\n", "nan\n", 1),
    "without bound": BEDS.replace("4\n", "inf\n", 1),
    "text": BEDS.replace("4\n", "x\n", 1),
}


def test_what_is_no_panel_or_not_of_it_is_refused_in_one_line_that_names_the_file(tmp_path):
    path, beside = tmp_path / "NM.csv", tmp_path / "NM.beds.csv"
    for what, content in NO_PANEL.items():
        path.write_text(content)
        with pytest.raises(InputError, match=rf"^{path}: is not a panel\b.*; the stage panels writes one$"):
            pytest.fail(f"{what}: {read(path)}")
    path.write_text(GOOD)
    beside.write_text(BEDS)
    assert read(path).beds.tolist() == [[4, 4], [4, 4]]
    for what, content in NO_BEDS.items():
        beside.write_text(content)
        with pytest.raises(InputError, match=rf"^{beside}: is not of the panel beside it; the stage panels"):
            pytest.fail(f"{what}: {read(path)}")


@each("name", ["NM.csv", "NM.beds.csv"])
def test_a_pipe_is_refused_and_not_waited_for_and_what_may_not_be_read_with_the_reason(
    tmp_path, name, monkeypatch
):
    path, reading = tmp_path / "NM.csv", Path.read_text

    def forbidden(self, *arguments, **more):
        if self.name == name:
            raise PermissionError(13, "Permission denied", str(self))
        return reading(self, *arguments, **more)

    path.write_text(GOOD)
    (tmp_path / "NM.beds.csv").write_text(BEDS)
    with monkeypatch.context() as now:
        now.setattr(Path, "read_text", forbidden)
        with pytest.raises(
            InputError, match=rf"/{name}: cannot be read \(Permission denied\); the stage panels writes it$"
        ):
            read(path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(
        InputError, match=f"{name}: is a pipe or a device, not a file; the stage panels writes"
    ):
        read(tmp_path / "NM.csv")
    (tmp_path / name).unlink()
