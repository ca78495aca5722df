"""The code of the checks: what a check needs of its module, each piece once, nothing beside the code."""

import html
import re

import pytest

from private_experts.errors import InputError
from private_experts.replication.report.page.listings import highlighted, listings
from private_experts.replication.report.page.sources import modules
from tests.replication.report.page.conftest import LEDGER

MODULE = '''"""A module."""
from functools import cached

SIZE, REACH = 3, "<b>"


def helper(x):
    return x * SIZE  # a comment


@cached
def check(grid):
    return helper(grid)


def other():
    return check(1) and helper(2)


def unused():
    return 0
'''


def test_a_check_comes_with_what_it_reaches_in_its_module() -> None:
    pieces, of_check = listings(["a.b:check", "a.b:other"], {"a.b": MODULE})
    assert of_check == {
        "a.b:check": "a.b:check a.b:SIZE a.b:helper",
        "a.b:other": "a.b:other a.b:SIZE a.b:helper a.b:check",
    }
    assert [(piece["name"], piece["line"]) for piece in pieces] == [
        ("a.b:SIZE", 4),
        ("a.b:helper", 7),
        ("a.b:check", 11),
        ("a.b:other", 16),
    ]
    assert pieces[2]["html"].startswith("<dfn>@cached</dfn>")


def test_highlighting_changes_no_letter_and_escapes_what_means_something() -> None:
    source = next(iter(modules([next(iter(LEDGER.claims.values())).check]).values()))
    for text in (MODULE, source):
        assert html.unescape(re.sub(r"</?(b|i|u|em|dfn)>", "", highlighted(text))) == text
    assert "&lt;b&gt;" in highlighted(MODULE)
    assert "<em># a comment</em>" in highlighted(MODULE)


def test_a_check_that_is_not_there_is_told_in_one_line() -> None:
    with pytest.raises(InputError, match="there is no check a:b"):
        listings(["a:b"], {"a": "x = 1"})
