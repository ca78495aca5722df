"""Formulas as MathML: every statement of every paper can be read, and lines break where they should."""

import re
from xml.etree import ElementTree

import pytest

from private_experts.errors import InputError
from private_experts.replication.plotting.math_linebreaks import breakable, mathml
from tests.each import each
from tests.replication.report.page.conftest import LEDGER


def tree(math: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<x>{math}</x>".replace("<wbr>", "<wbr/>").replace("&ApplyFunction;", ""))


def signs(math: str) -> str:
    """Return the signs of a formula in their order, without its LaTeX."""
    return "".join(each.text or "" for each in tree(math).iter() if each.tag in ("mi", "mn", "mo", "mtext"))


def breaks(latex: str) -> list[str]:
    return [signs(piece) for piece in breakable(latex).split("<wbr>")]


@each("latex", [claim.latex for claim in LEDGER.claims.values()])
def test_every_statement_of_the_papers_becomes_mathml_and_loses_no_sign_to_its_breaks(latex: str) -> None:
    drawn = breakable(latex, display=True)
    whole = signs(mathml(latex)).replace("···", "...")  # dots at a break stand on the line
    assert signs(drawn).replace("···", "...") == whole != ""
    assert "\\" not in signs(drawn)  # no command stands there as it was typed
    assert "style=" not in drawn.replace("displaystyle=", "")  # the page's policy forbids it
    assert len(re.findall("<annotation", drawn)) == len(re.findall("<math", drawn))


def test_a_short_formula_is_not_broken() -> None:
    assert breaks("a + b = c + d") == ["a+b=c+d"]
    assert breaks(r"\mathrm{gap}") == ["gap"]


def test_a_long_one_breaks_after_commas_and_before_relations_and_binary_signs() -> None:
    assert breaks(r"f(a, b) = 1234, \quad g(c) \le 1234") == ["f(a,b)", "=1234,", "g(c)", "≤1234"]
    assert breaks("f(a + b + c + d) - g(a + b + c + d)") == ["f(a+b+c+d)", "−g(a+b+c+d)"]
    assert breaks(r"\frac{a + b + c}{d + e + f} \le \left(g + h + i\right)") == ["a+b+cd+e+f", "≤(g+h+i)"]


def test_the_sign_of_a_number_stays_with_it() -> None:
    assert breaks("-abcdefgh = -ijklmnop, -q") == ["−abcdefgh", "=−ijklmnop,", "−q"]


def test_only_what_is_very_long_breaks_between_parentheses() -> None:
    assert breaks("(abcdef + abcdefgh)") == ["(abcdef+abcdefgh)"]
    assert breaks("(abcdefghijklmnop + abcdefghijklmnop)") == ["(abcdefghijklmnop", "+abcdefghijklmnop)"]


def test_a_sign_at_a_break_has_the_space_of_one_between_two_terms() -> None:
    sign = tree(breakable("abcdefgh + ijklmnop")).find(".//mo")
    assert sign is not None
    assert sign.text == "+"
    assert sign.get("lspace") is None  # a sign of a number has none


def test_a_large_delimiter_with_an_exponent_is_not_alone_in_its_row() -> None:
    for latex in (r"\Bigl( x \Bigr)^2", r"\bigl\{ x \bigr\}_2", r"\bigl\lceil x \bigr\rceil^2"):
        (power,) = [each for each in tree(mathml(latex)).iter() if each.tag in ("msup", "msub")]
        assert [each.tag for each in power[0]] == ["mrow", "mo"]


def test_what_means_something_in_html_is_escaped() -> None:
    assert "<script" not in breakable(r"\text{<script>} a < b")


@each("latex", [r"\frac{a}", "x^a^b", r"\left( x", r"\nosuchcommand x"])
def test_a_formula_that_cannot_be_read_is_reported_in_one_line(latex: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as told:
        mathml(latex)
    assert "\n" not in str(told.value)
