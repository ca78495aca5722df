"""A mutant is noticed by a test that fails on it, not by one that passes, cannot begin, or breaks off."""

import pytest

from private_experts.distribution_learning.scaling import Scaling
from tests.mutants.__main__ import MUTANTS
from tests.mutants.mutant import failing_test
from tests.mutants.mutants_003 import half_the_noise

TEST = "tests/distribution_learning/test_scaling.py::test_the_constants_are_those_of_the_paper"


def harmless(put: pytest.MonkeyPatch) -> None:
    """Nothing is changed."""


def broken(put: pytest.MonkeyPatch) -> None:
    """The test cannot look at anything."""
    put.delattr(Scaling, "noise")


def test_a_mutant_is_noticed_by_a_test_that_fails_alone() -> None:
    assert not failing_test(TEST, harmless)
    assert failing_test(TEST, half_the_noise)
    assert not failing_test(TEST, broken)
    assert not failing_test(f"{TEST}_which_is_not_there", half_the_noise)


def test_every_mutant_finds_what_it_changes() -> None:
    """Whoever renames or removes something that draws changes its mutants as well."""
    for mutant in MUTANTS.values():
        with pytest.MonkeyPatch.context() as put:
            mutant.patch(put)
