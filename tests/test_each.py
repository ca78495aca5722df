"""The helper tells of every wrong case, and of nothing else."""

import pytest

from tests.each import each


def test_every_wrong_case_is_told_and_right_ones_are_not():
    @each(("number", "other"), [(1, "a"), (2, "b"), (3, "c")])
    def odd(number, other):
        assert number % 2, other

    with pytest.raises(
        AssertionError, match="1 of 3 cases of number, other are wrong\n2, 'b': AssertionError: b"
    ):
        odd()


def test_a_missing_exception_and_an_unexpected_one_are_wrong_cases_too():
    @each("value", [0, "x", 2])
    def refused(value):
        with pytest.raises(ZeroDivisionError):
            1 / value

    with pytest.raises(AssertionError, match=r"(?s)2 of 3 cases.*'x': TypeError.*2: Failed: DID NOT RAISE"):
        refused()


def test_stacked_it_runs_every_combination_and_leaves_fixtures_to_pytest(tmp_path):
    seen = []

    @each("one", [1, 2])
    @each("other", "ab")
    def note(tmp_path, one, other):
        seen.append((one, other, tmp_path))

    note(tmp_path=tmp_path)
    assert seen == [(one, other, tmp_path) for one in (1, 2) for other in "ab"]


def test_a_skip_is_no_wrong_case():
    @each("value", [1])
    def skipped(value):
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception):
        skipped()


def test_a_table_without_cases_is_refused():
    with pytest.raises(AssertionError, match="no case"):
        each("value", [])
