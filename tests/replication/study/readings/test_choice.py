"""The rule on scores that are made up: what is chosen by which states."""

import numpy as np
import pytest

from private_experts.replication.study.readings.choice import (
    LeftOut,
    best_kind,
    best_settings,
    left_out,
    share_least,
)

ONE, TWO = ("trend", "wide"), ("trend", "narrow")


def squares(*rows):
    """Scores of two readings in the states A, B, C, as mean squares of one resample."""
    return {
        reading: dict(zip("ABC", np.array(row)[:, None] ** 2, strict=True))
        for reading, row in zip((ONE, TWO), rows, strict=True)
    }


def test_settings_of_a_state_are_chosen_on_the_other_states():
    # In A the second would be far better, but B and C prefer the first.
    found = left_out(squares([0.9, 0.1, 0.1], [0.1, 0.2, 0.2]), [ONE, TWO])
    assert found.chosen == {"A": ONE, "B": TWO, "C": TWO}
    assert found.score == pytest.approx([np.sqrt((0.9**2 + 0.2**2 + 0.2**2) / 3)])


def test_nothing_is_chosen_by_the_state_it_is_judged_on():
    base = squares([0.1, 0.2, 0.3], [0.3, 0.1, 0.2])
    for state in "ABC":
        changed = {reading: dict(row) for reading, row in base.items()}
        changed[TWO][state] = np.array([1e-9])
        assert left_out(changed, [ONE, TWO]).chosen[state] == left_out(base, [ONE, TWO]).chosen[state]


def test_settings_are_chosen_anew_in_each_resample():
    base = squares([0.1, 0.1, 0.1], [0.2, 0.2, 0.2])
    both = {
        reading: {state: np.repeat(value, 2) for state, value in row.items()} for reading, row in base.items()
    }
    for state in "ABC":
        both[ONE][state][1] = 0.3**2
    assert left_out(both, [ONE, TWO]).score == pytest.approx([0.1, 0.2])


def test_scores_that_agree_to_three_decimals_tie_and_the_first_is_taken():
    near = squares([0.1004, 0.1004, 0.1004], [0.1, 0.1, 0.1])
    assert best_settings(near, [ONE, TWO]) == ONE
    assert best_settings(near, [TWO, ONE]) == TWO
    assert best_settings(squares([0.102] * 3, [0.1] * 3), [ONE, TWO]) == TWO
    kinds = {"simple": LeftOut(np.array([0.1004, 0.0]), {}), "other": LeftOut(np.array([0.1, 9.0]), {})}
    assert best_kind(kinds) == "simple"
    assert best_kind({**kinds, "best": LeftOut(np.array([0.09]), {})}) == "best"


def test_scores_that_differ_in_their_last_bits_tie_where_the_third_decimal_turns():
    turning = squares([0.1005 + 1e-13] * 3, [0.1005 - 1e-13] * 3)
    assert best_settings(turning, [ONE, TWO]) == ONE
    assert left_out(turning, [ONE, TWO]).chosen == dict.fromkeys("ABC", ONE)
    kinds = {
        name: LeftOut(np.array([0.1005 + by]), {}) for name, by in (("simple", 1e-13), ("other", -1e-13))
    }
    assert best_kind(kinds) == "simple"


def test_with_one_state_its_own_scores_choose():
    one = {reading: {"A": row["A"]} for reading, row in squares([0.2, 0, 0], [0.1, 0, 0]).items()}
    assert left_out(one, [ONE, TWO]).chosen == {"A": TWO}


def test_the_shares_in_which_each_kind_scores_least_leave_out_the_value_itself():
    kinds = {"a": LeftOut(np.array([0.0, 1, 1, 3, 1]), {}), "b": LeftOut(np.array([9.0, 2, 2, 2, 2]), {})}
    assert (share_least(kinds, "a"), share_least(kinds, "b")) == (0.75, 0.25)
    assert np.isnan(share_least({"a": LeftOut(np.array([1.0]), {})}, "a"))
