"""Accounts agree with the library's levels."""

import numpy as np
import pytest

from examples.hospitals.accounts import Accounts
from private_experts.privacy import GaussianDP
from tests.examples.hospitals.desk import SETTING

ALL = [(week, hospital, 1) for week in (1, 2, 3) for hospital in SETTING.beds]


def test_a_week_of_which_all_have_reported_has_its_level_and_weeks_add_as_squares() -> None:
    accounts = Accounts(SETTING, 4, ALL)
    assert accounts.of_weeks() == pytest.approx([SETTING.level()] * 3 + [0.0])
    assert accounts.of_hospitals() == pytest.approx(np.sqrt([1.5] * 3))
    assert accounts.of_all() == pytest.approx(np.sqrt(3) * GaussianDP(1.0, "local").mu)


def test_two_draws_of_a_week_are_as_the_setting_says() -> None:
    accounts = Accounts(SETTING, 1, [(1, "H01", 1), (1, "H02", 2), (1, "H03", 1)])
    assert accounts.of_weeks() == pytest.approx([SETTING.level(twice="H02")])


def test_weeks_that_are_not_open_yet_cost_nothing_here() -> None:
    assert Accounts(SETTING, 1, ALL).levels.shape == (1, 3)
