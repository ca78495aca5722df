"""Text with formulas is read once, and shown as Markdown and MathML."""

import re
from xml.etree import ElementTree

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.plotting.formulas import cell, html, mathml, pieces, plain
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN, ROOT

TEXTS = [
    text for claim in KNOWN.claims.values() for text in (claim.statement, claim.rule, claim.note) if text
]
TEXTS += [figure.caption for figure in KNOWN.figures.values()]


@each("text", TEXTS)
def test_every_text_of_the_claims_is_shown_in_every_way(text: str) -> None:
    page = html(text)
    assert "\\" not in page
    assert page.count("<math") == sum(bool(formula) for _, formula in pieces(text))
    assert "|" not in cell(text).replace(r"\|", "")
    assert not {*"\\$\u2061"} & {*plain(text)}


@each("claim", KNOWN.claims.values())
def test_the_formula_of_every_claim_becomes_mathml_that_keeps_its_latex(claim: Claim) -> None:
    tree = ElementTree.fromstring(mathml(claim.latex, display=True).replace("&ApplyFunction;", ""))
    signs = "".join(
        element.text or "" for element in tree.iter() if element.tag in ("mi", "mn", "mo", "mtext")
    )
    assert signs
    assert "\\" not in signs  # no command stands there as it was typed
    assert tree.find(".//annotation").text.split() == claim.latex.split()  # type: ignore[union-attr]
    assert " style=" not in mathml(claim.latex, display=True)  # the page's policy forbids it


def test_no_large_delimiter_has_an_exponent_which_browsers_draw_small() -> None:
    """Write ``\\left( x \\right)^2``, not ``\\Bigl( x \\Bigr)^2``."""
    paths = [*ROOT.glob("claims/*.yaml"), *ROOT.glob("docs/**/*.md")]
    large = re.compile(r"\\[bB]igg?r?\s*(?:\\[A-Za-z]+|\\?[^rl\s])\s*[_^]")
    assert [found[0] for path in paths for found in large.finditer(path.read_text(encoding="utf-8"))] == []
    assert large.search(r"\Bigl( x \Bigr)^2")


def test_words_are_escaped_and_formulas_are_not() -> None:
    text = "At 5 % & <b>,\n$a_1 < \\frac{1}{2}$ & $b$."
    assert pieces(text) == [("At 5 % & <b>, ", r"a_1 < \frac{1}{2}"), (" & ", "b"), (".", "")]
    assert html(text).startswith("At 5 % &amp; &lt;b&gt;, <math><msub>")
    assert html(text).endswith("</math> &amp; <math><mi>b</mi></math>.")
    assert "<script" not in mathml(r"\text{<script>} a < b")


@each(
    "latex, written",
    [
        (r"R_T \le \sqrt{2 T \log n} - x", "R_T ≤ √(2T log n) − x"),
        (r"\frac{1}{2}(n + 1)", "1/2 (n + 1)"),
        (r"\frac{a}{2r} D", "a/(2r) D"),
        (r"\log(1 - x)^{-1}, \quad x < -1", "log(1 − x)^(−1), x < −1"),
        (r"\sum_{t=1}^T g_t", "∑_(t = 1)^T g_t"),
        (r"\max_i x_i^{(j)}", "max_i x_i^(j)"),
        (r"\binom{n}{2} f'", "(n choose 2)f′"),
        (r"\tilde g + \bar G + \hat p + \underline z", "g\u0303 + G\u0304 + p\u0302 + z\u0332"),
        (r"|x| > \max\Bigl( \varepsilon, \mathbb{E} y \Bigr)", "|x| > max(ε,𝔼y)"),
    ],
)
def test_a_terminal_shows_a_formula_in_one_line_that_says_the_same(latex: str, written: str) -> None:
    assert plain(f"so ${latex}$.") == f"so {written}."


def test_a_bar_does_not_end_the_cell_of_a_table() -> None:
    assert cell(r"a | b, $|x| \le \|y\|$") == r"a \| b, $\vert x\vert  \le \Vert y\Vert $"


@each(
    ("text", "reason"),
    [
        ("costs $5", "'costs $5': write formulas between single dollar signs"),
        ("an empty $ $ one", "'an empty $ $ one': write formulas between single dollar signs"),
        (r"$\nosuchcommand x$", r"the formula '\\nosuchcommand x' cannot be read: "),
        (r"$\frac{a$", r"the formula '\\frac{a' cannot be read: "),
    ],
)
def test_a_formula_that_cannot_be_read_is_told_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        html(text)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(reason)
