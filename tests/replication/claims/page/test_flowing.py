"""Formulas in pieces: where they break, and that nothing is lost."""

import re
from xml.etree import ElementTree

from private_experts.replication.claims.page.flowing import flowing
from private_experts.replication.claims.page.mathml import mathml
from tests.each import each
from tests.replication.claims.page.conftest import LEDGER


def words(math: str) -> str:
    """Return the signs of a formula in their order, without its LaTeX."""
    root = ElementTree.fromstring(f"<x>{math}</x>".replace("<wbr>", "<wbr/>"))
    return "".join(token.text or "" for token in root.iter() if token.tag in ("mi", "mn", "mo", "mtext"))


@each("latex", [claim.latex for claim in LEDGER.claims.values()])
def test_no_sign_is_lost_and_the_latex_stands_there_once(latex: str) -> None:
    pieces, whole = flowing(latex, display=True), mathml(latex)
    assert words(pieces) == words(whole)
    noted = "<annotation.*?</annotation>"
    assert re.findall(noted, pieces) == re.findall(noted, whole)


def breaks(latex: str) -> list[str]:
    return [words(piece) for piece in flowing(latex).split("<wbr>")]


def test_a_short_formula_is_not_broken() -> None:
    assert breaks("a + b = c + d") == ["a+b=c+d"]


def test_a_long_one_breaks_after_commas_then_before_relations_then_before_signs() -> None:
    assert breaks(r"f(a, b) = 1234, \quad g(c) \le 1234") == ["f(a,b)=1234,", "g(c)≤1234"]
    assert breaks(r"f(a + b) = g(a + b) + h") == ["f(a+b)", "=g(a+b)+h"]
    assert breaks(r"f(a + b + c + d) + g(a + b + c + d)") == ["f(a+b+c+d)", "+g(a+b+c+d)"]


def test_a_single_word_is_a_piece() -> None:
    assert breaks(r"\mathrm{gap}") == ["gap"]


def test_only_what_is_very_long_breaks_between_parentheses() -> None:
    assert breaks("(abcdef + abcdefgh)") == ["(abcdef+abcdefgh)"]
    assert breaks("(abcdefabcdef + abcdefghabcdefgh)") == ["(abcdefabcdef", "+abcdefghabcdefgh)"]
