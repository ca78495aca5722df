"""A universe's panel is that of the study under a config with its options."""

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import cleaning, synthetic
from private_experts.replication.study.data.synthetic import CONFIRMED, SUSPECTED
from private_experts.replication.study.multiverse.open_choices import CHOICES, half, of_state, options
from tests.each import each

WINDOW = ("2020-01-01", "2030-01-01")
TREE = {"tree_padding": ["padded", "unpadded"], "tree_sensitivity": ["largest"]}
RULES = cleaning.Cleaning((SUSPECTED, CONFIRMED), (synthetic.ADULT_BEDS,), (SUSPECTED,), 0, 0, 0, *WINDOW)


@pytest.fixture(scope="module")
def reports():
    table = synthetic.reports(("NM",), 9, 1, {"NM": 12})
    return table.assign(collection_week=table["collection_week"].str[:10].str.replace("/", "-"))


def test_a_panel_is_the_studys_under_the_same_rules(reports):
    chosen = {"suppressed_value": 4, "smallest_beds": 20, "participation_minimum": 100, "weeks": "second-half"}
    state = of_state(reports, "NM", RULES)
    panel = state.panel({**chosen, "patients": CONFIRMED})
    rules = cleaning.Cleaning(
        (CONFIRMED,), RULES.beds, RULES.participation, 4, 100, 20, state.weeks[5], state.weeks[-1]
    )
    expected = cleaning.clean_all(reports, ["NM"], rules)[0]["NM"]
    assert panel.weeks == expected.weeks
    assert len(panel.weeks) == 4
    assert panel.hospitals == expected.hospitals
    assert np.array_equal(panel.density, expected.density)
    assert np.array_equal(panel.smallest_beds, expected.smallest_beds)


def test_halves_are_all_weeks_once():
    weeks = ("a", "b", "c", "d", "e")
    assert half(weeks, "first-half") + half(weeks, "second-half") == half(weeks, "all") == weeks
    assert half(weeks, "first-half") == ("a", "b", "c")


def test_halves_are_of_the_weeks_of_the_state(reports):
    late = reports.assign(state="VT")[reports["collection_week"] > min(reports["collection_week"])]
    both = pd.concat([reports, late])
    chosen = {"suppressed_value": 2, "smallest_beds": 0, "participation_minimum": 0, "patients": CONFIRMED}
    weeks = sorted({*late["collection_week"]})
    for part, expected in (("all", weeks), ("first-half", weeks[:4]), ("second-half", weeks[4:])):
        assert of_state(both, "VT", RULES).panel(chosen | {"weeks": part}).weeks == tuple(expected)
        assert of_state(both, "ZZ", RULES).panel(chosen | {"weeks": part}).hospitals == ()  # a state without reports


def test_patients_are_a_choice_between_the_columns_that_the_data_has(reports):
    given: dict[str, list[object]] = {name: [0] for name in reversed(CHOICES[:-1])}
    given |= {"adjacency": ["move"], "weeks": ["all", "second-half"]} | TREE
    found = options(given, reports, RULES)
    assert tuple(found) == CHOICES
    assert found["patients"] == [SUSPECTED, CONFIRMED]
    assert options(given, reports.assign(**{CONFIRMED: np.nan}), RULES)["patients"] == [SUSPECTED]
    with pytest.raises(InputError, match=r"multiverse\.choices: weeks is missing"):
        options({name: each for name, each in given.items() if name != "weeks"}, reports, RULES)


@each("name, wrong, said", [
    ("adjacency", "moved", "'moved' is unknown; write one of move, removal"),
    ("weeks", "third-half", "'third-half' is unknown; write one of all, first-half, second-half"),
    ("weeks", 7, "7 is unknown"),
    ("tree_padding", "padded?", "'padded.' is unknown; write one of padded, unpadded"),
    ("tree_sensitivity", "largest-of-all", "'largest-of-all' is unknown; write one of largest, weekly"),
])  # fmt: skip
def test_an_option_that_there_is_not_is_refused_in_one_line(name, wrong, said, reports):
    given = {each: [0] for each in CHOICES[:-1]} | {"adjacency": ["removal"], "weeks": ["all"]} | TREE
    with pytest.raises(InputError, match=rf"^multiverse\.choices\.{name}: {said}"):
        options(given | {name: [*given[name], wrong]}, reports, RULES)


def test_a_single_week_has_no_halves(reports):
    with pytest.raises(InputError, match=r"1 week\(s\) of the data are between"):
        of_state(reports[reports["collection_week"] == reports["collection_week"].min()], "NM", RULES)
