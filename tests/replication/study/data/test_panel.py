import math
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.study.data.panel import Panel, read, write
from tests.each import each


def assert_same(one: Panel, other: Panel) -> None:
    assert one.weeks == other.weeks
    assert one.hospitals == other.hospitals
    assert (one.beds is None) == (other.beds is None)
    pairs = [(one.density, other.density), (one.smallest_beds, other.smallest_beds)]
    for first, second in pairs if one.beds is None else [*pairs, (one.beds, other.beds)]:
        assert first.shape == second.shape
        assert first.dtype == second.dtype == np.float64
        assert first.tobytes() == second.tobytes()  # to the bit


@st.composite
def panels(draw):
    weeks, hospitals = draw(st.integers(1, 5)), draw(st.integers(0, 4))
    density = draw(st.lists(st.floats(0, 1), min_size=weeks * hospitals, max_size=weeks * hospitals))
    positive = st.floats(min_value=0, exclude_min=True, max_value=1e6)
    beds = draw(st.lists(positive, min_size=weeks, max_size=weeks))
    own = draw(st.none() | st.lists(positive, min_size=weeks * hospitals, max_size=weeks * hospitals))
    return Panel(
        tuple(f"2021-01-{day:02d}" for day in range(1, weeks + 1)),
        tuple(f"01000{number}" for number in range(hospitals)),
        np.array(density).reshape(weeks, hospitals),
        np.array(beds),
        None if own is None else np.array(own, dtype=np.float64).reshape(weeks, hospitals),
    )


@settings(deadline=None, max_examples=60, derandomize=True)
@given(panel=panels())
def test_reading_undoes_writing_to_the_bit(panel, tmp_path_factory):
    path = tmp_path_factory.mktemp("panel") / "NM.csv"
    write(path, panel)
    assert_same(read(path), panel)
    before = path.read_bytes()
    write(path, read(path))
    assert path.read_bytes() == before


@each("smallest", [math.nan, 7.5])
def test_a_panel_without_hospitals_survives(tmp_path, smallest):
    panel = Panel(("2021-01-01", "2021-01-08"), (), np.zeros((2, 0)), np.full(2, smallest))
    write(tmp_path / "MP.csv", panel)
    back = read(tmp_path / "MP.csv")
    assert (back.weeks, back.hospitals, back.density.shape) == (panel.weeks, (), (2, 0))
    np.testing.assert_array_equal(back.smallest_beds, panel.smallest_beds)


def test_the_panel_of_a_state_without_reports_survives(tmp_path):
    panel = Panel((), (), np.zeros((0, 0)), np.zeros(0))
    write(tmp_path / "MP.csv", panel)
    assert_same(read(tmp_path / "MP.csv"), panel)


def test_the_file_is_csv_that_people_can_read(tmp_path):
    panel = Panel(("2021-01-01",), ("010001", "05T006"), np.array([[0.1, 1 / 3]]), np.array([12.0]))
    write(tmp_path / "NM.csv", panel)
    expected = "week,smallest_beds,010001,05T006\n2021-01-01,12.0,0.1,0.3333333333333333\n"
    assert (tmp_path / "NM.csv").read_bytes() == expected.encode()


def test_a_panel_whose_parts_do_not_fit_is_not_written(tmp_path):
    panel = Panel(("2021-01-01", "2021-01-08"), ("010001",), np.zeros((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match=r"shorter|longer"):
        write(tmp_path / "NM.csv", panel)
    assert list(tmp_path.iterdir()) == []


OWN = Panel(
    ("2021-01-01", "2021-01-08"),
    ("010001", "010002"),
    np.full((2, 2), 0.5),
    np.full(2, 4.0),
    np.full((2, 2), 4.0),
)


def test_beds_of_another_panel_do_not_stay(tmp_path):
    write(tmp_path / "NM.csv", OWN)
    write(tmp_path / "NM.csv", replace(OWN, beds=None))
    assert read(tmp_path / "NM.csv").beds is None


@each(
    "text",
    [
        "week,010001,010002\n2021-01-01,4,4\n",
        "week,010001,010002\n2021-01-01,4,4\n2021-01-15,4,4\n",
        "week,010001,010003\n2021-01-01,4,4\n2021-01-08,4,4\n",
        "week,010001,010002\n2021-01-01,4,4\n2021-01-08,4,0\n",
        "week,010001,010002\n2021-01-01,4,4\n2021-01-08,4,nan\n",
        "week,010001,010002\n2021-01-01,4,x\n2021-01-08,4,4\n",
        "",
    ],
)
def test_beds_that_are_not_those_of_the_panel_are_refused(text, tmp_path):
    write(tmp_path / "NM.csv", OWN)
    (tmp_path / "NM.beds.csv").write_text(text)
    with pytest.raises(InputError, match=r"NM\.beds\.csv: is not of the panel beside it"):
        read(tmp_path / "NM.csv")


GOOD = "week,smallest_beds,010001,010002\n2021-01-01,12.0,0.25,0.5\n2021-01-08,12.0,0.25,0.5\n"
NO_PANEL = {
    "empty": "",
    "header alone": GOOD.splitlines()[0] + "\n",
    "a line cut short": GOOD[:-10],
    "a row cut short": GOOD[: GOOD.rindex("12.0")],
    "text for a number": GOOD.replace("0.25", "x"),
    "a web page": "<html>\n<b>a,b</b>\n",
    "reports": "hospital_pk,collection_week,state,beds\n010001,2021-01-01,NM,12\n",
    "other figures": GOOD.replace("smallest_beds", "beds"),
    "a hospital twice": GOOD.replace("010002", "010001"),
    "a week twice": GOOD.replace("01-08", "01-01"),
    "no beds": GOOD.replace("12.0", "0.0", 1),
    "negative beds": GOOD.replace("12.0", "-3.0", 1),
    "unknown beds": GOOD.replace("12.0", "nan", 1),
    "density unknown": GOOD.replace("0.25", "nan", 1),
    "density above 1": GOOD.replace("0.25", "1.25", 1),
    "density below 0": GOOD.replace("0.25", "-0.25", 1),
}


@each("content", NO_PANEL.values())
def test_what_is_no_panel_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "NM.csv"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@each("name", ["NM.csv", "NM.beds.csv"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name):
    write(tmp_path / "NM.csv", Panel(("2021-01-01",), ("010001",), np.array([[0.5]]), np.array([9.0])))
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(
        InputError, match=f"{name}: is a pipe or a device, not a file; the stage panels writes it"
    ):
        read(tmp_path / "NM.csv")
    (tmp_path / name).unlink()
