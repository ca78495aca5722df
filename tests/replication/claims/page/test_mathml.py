"""Formulas as MathML: every statement of every paper, and what the converter alone gets wrong."""

import re
from xml.etree import ElementTree

import pytest

from private_experts.errors import InputError
from private_experts.replication.claims.page.mathml import mathml
from tests.each import each
from tests.replication.claims.page.conftest import LEDGER

# What browsers draw today (MathML Core); others are silently dropped or drawn as a row.
CORE = re.findall(
    r"\w+",
    "math semantics annotation mrow mi mn mo mtext mspace mstyle mfrac msqrt mroot msub msup msubsup munder mover "
    "munderover mtable mtr mtd mpadded mphantom",
)


def tree(latex: str) -> ElementTree.Element:
    return ElementTree.fromstring(mathml(latex))


def tokens(latex: str, tag: str) -> list[ElementTree.Element]:
    return list(tree(latex).iter(tag))


def operators(latex: str) -> dict[str, tuple[str | None, str | None]]:
    """Return the space left and right of each operator."""
    return {each.text or "": (each.get("lspace"), each.get("rspace")) for each in tokens(latex, "mo")}


THICK, MEDIUM, THIN, NONE = ".278em", ".222em", ".167em", "0"


@each("latex", [claim.latex for claim in LEDGER.claims.values()])
def test_every_statement_of_the_papers_becomes_mathml(latex: str) -> None:
    math = tree(latex)
    assert {each.tag for each in math.iter()} <= {*CORE}
    shown = [token for token in math.iter() if token.tag in ("mi", "mn", "mo", "mtext")]
    assert shown
    for token in shown:
        assert "\\" not in (token.text or "")  # no command stands there as it was typed
        assert token.get("mathvariant") in (None, "normal")
    assert not any(each.get("style") for each in math.iter())  # the page's policy forbids it
    assert [each.text for each in math.iter("annotation")] == [latex]


def test_relations_and_binary_signs_have_texs_space_and_a_sign_of_a_number_none() -> None:
    assert operators(r"a \preceq b")["⪯"] == (THICK, THICK)
    assert operators(r"a \sim b")["∼"] == (THICK, THICK)
    assert operators("a - b")["−"] == (MEDIUM, MEDIUM)
    assert operators("f(-b)")["−"] == (NONE, NONE)
    assert operators("a = -b")["−"] == (THICK, NONE)  # the relation's space, and none to its number
    assert operators("f(x, y)")[","] == (NONE, THIN)
    assert operators(r"\{x \colon y\}")[":"] == (NONE, THIN)
    assert operators("|x|")["|"] == (NONE, NONE)
    assert operators(r"\operatorname{Reg}_T - 1")["−"] == (MEDIUM, MEDIUM)
    assert operators(r"\log -x")["−"] == (THIN, NONE)


def test_an_inline_formula_is_the_same_without_its_latex() -> None:
    inline, block = (ElementTree.fromstring(mathml(r"\frac{a}{b} \le c", display)) for display in ("inline", "block"))
    assert inline.get("display") is None
    assert [*map(ElementTree.tostring, inline)] == [*map(ElementTree.tostring, block[0][0])]
    assert not [*inline.iter("annotation")]


def test_there_is_no_such_space_in_a_subscript() -> None:
    assert operators("x_{i \\le n}")["≤"] == (NONE, NONE)


def test_the_name_of_an_operator_keeps_its_distance_from_letters_and_none_from_parentheses() -> None:
    assert operators(r"T \log n")["log"] == (THIN, THIN)
    assert operators(r"\max(a, b)")["max"] == (NONE, NONE)
    assert operators(r"\lceil \log_2 T \rceil")["log"] == (NONE, THIN)


def test_what_belongs_below_an_operator_stands_below_it() -> None:
    assert tokens(r"\max_{t \le T} X_t", "munder")
    assert tokens(r"\sup_s f", "munder")
    assert tokens(r"\limsup_n x_n", "munder")
    assert [each[0].text for each in tokens(r"\operatorname{arg\,min}_w f", "munder")] == [
        "arg min".replace(" ", "\u2009")
    ]
    assert not tokens(r"\log_2 T", "munder")
    assert not tokens(r"\lambda_{\max}", "munder")


def test_an_upright_word_is_one_word() -> None:
    words = [each.text for each in tokens(r"\mathrm{gap}(x) = s_{\mathrm{node}}", "mi")]
    assert {"gap", "node"} <= {*words}


def test_greek_capitals_stand_upright_and_bold_letters_are_letters_of_their_own() -> None:
    assert [each.get("mathvariant") for each in tokens(r"\Pi \mu", "mi")] == ["normal", None]
    assert [each.text for each in tokens(r"\mathbf{1} \mathbf{x} \boldsymbol{\mu}", "mn")] == ["𝟏"]
    assert [each.text for each in tokens(r"\mathbf{x} \boldsymbol{\mu}", "mi")] == ["𝐱", "𝛍"]
    assert [each.text for each in tokens(r"\mathcal R \mathcal{E} \mathbb E \mathfrak C", "mi")] == ["ℛ", "ℰ", "𝔼", "ℭ"]


def test_a_line_over_an_expression_is_as_long_as_the_expression() -> None:
    (row,) = [each for each in tokens(r"\overline{\text{a}/\text{b}}", "mrow") if each.get("class")]
    assert [each.text for each in row.iter("mtext")] == ["a", "b"]


def test_delimiters_grow_only_when_they_are_told_to() -> None:
    assert {each.get("stretchy") for each in tokens(r"\lfloor x \rfloor |y|", "mo")} == {"false"}
    assert [each.get("stretchy") for each in tokens(r"\left( x \right)", "mo")] == ["true", "true"]
    assert {each.get("minsize") for each in tokens(r"\Bigl[ x \Bigr]", "mo")} == {"1.623em"}
    assert [each.text for each in tokens(r"\Bigl\{ x \Bigr\} \bigl\lceil y \bigr\rceil", "mo")] == ["{", "}", "⌈", "⌉"]


def test_a_large_delimiter_with_an_exponent_is_not_alone_in_its_row() -> None:
    (power,) = tokens(r"\Bigl( x \Bigr)^2", "msup")
    assert [each.tag for each in power[0]] == ["mi", "mo"]


def test_an_empty_group_can_carry_a_prime() -> None:
    (primed,) = tokens(r"\Pr{}'[E]", "msup")
    assert [each.tag for each in primed] == ["mrow", "mi"]
    assert len(primed[0]) == 0


def test_signs_that_tex_escapes_are_plain_in_words() -> None:
    assert [each.text for each in tokens(r"\text{a \& b, 5 \%}", "mtext")] == ["a & b, 5 %".replace(" ", "\xa0")]


def test_what_means_something_in_html_is_escaped() -> None:
    assert "<script" not in mathml(r"\text{<script>} a < b")
    assert [each.text for each in tokens(r"a < b", "mo")] == ["<"]


@pytest.mark.parametrize("latex", [r"\frac{a}", "x^a^b", r"\left( x", r"\nosuchcommand x", r"\operatorname{a\,b} x"])
def test_a_formula_that_cannot_be_read_is_told_in_one_line(latex: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as told:
        mathml(latex)
    assert "\n" not in str(told.value)


def test_an_operator_of_two_commands_is_one_name() -> None:
    assert [each[0].text for each in tokens(r"\arg\max_i g_i", "munder")] == ["arg\u2009max"]


def test_large_braces_may_be_written_as_words() -> None:
    braces = [each.text for each in tokens(r"\max\Bigl\lbrace a, b \Bigr\rbrace", "mo") if each.get("minsize")]
    assert braces == ["{", "}"]
