"""Text with formulas is read once, and shown as plain text, LaTeX, Markdown and MathML."""

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.plotting.formulas import cell, html, latex, pieces, plain
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN
from tests.sources import unbalanced

TEXTS = [text for claim in KNOWN.claims.values() for text in (claim.statement, claim.rule, claim.note) if text]
TEXTS += [figure.caption for figure in KNOWN.figures.values()]


@each("text", TEXTS)
def test_every_text_of_the_claims_is_shown_in_every_way(text: str) -> None:
    said, page, report = plain(text), html(text), latex(text)
    assert not {"\\", "$", "{}", "\u2061"} & {*said}
    assert not said.count("%s")
    assert "\\" not in page
    assert page.count("<math") - page.count("<wbr><math") == sum(bool(formula) for _, formula in pieces(text))
    assert unbalanced(report) == ""
    assert report.isascii()
    assert report.count("?") == text.count("?")
    assert "|" not in cell(text).replace(r"\|", "")


@each("claim", KNOWN.claims.values())
def test_the_formula_of_every_claim_is_shown_on_a_terminal(claim: Claim) -> None:
    assert not {"\\", "$", "{}", "\u2061"} & {*plain(f"${claim.latex}$")}


def test_words_are_escaped_and_formulas_are_not() -> None:
    text = "At 5 % & <b>,\n$a_1 < \\frac{1}{2}$ & $b$."
    assert pieces(text) == [("At 5 % & <b>, ", r"a_1 < \frac{1}{2}"), (" & ", "b"), (".", "")]
    assert latex(text) == r"At 5 \% \& $<$b$>$, $a_1 < \frac{1}{2}$ \& $b$."
    assert html(text).startswith("At 5 % &amp; &lt;b&gt;, <math><msub>")
    assert html(text).endswith("</math> &amp; <math><mi>b</mi></math>.")


def test_a_bar_does_not_end_the_cell_of_a_table() -> None:
    assert cell(r"a | b, $|x| \le \|y\|$") == r"a \| b, $\vert x\vert  \le \Vert y\Vert $"


@each(
    "formula, shown",
    [
        (r"\frac{a + b}{2c}", "(a + b)/(2c)"),  # without parentheses it would be another number
        (r"\frac1T - \tfrac{x}{y}", "1/T - x/y"),
        (r"\sqrt{2T\log K}/\varepsilon", "√(2T log K)/ε"),
        (r"9\sqrt2 \approx 12.8", "9√2 ≈ 12.8"),
        (r"10^{-12}", "10⁻¹²"),
        (r"e^{-T^{2/3}}", "e^(-T^(2/3))"),
        (r"(NT)^{2S} x^2", "(NT)^(2S) x²"),
        (r"x_{t-1}, \Delta_{\min}", "x_(t-1), Δ_min"),
        (r"d\log T \le \log^2(T)", "d log T ≤ log²(T)"),
        (r"\delta=10", "δ = 10"),
        (r"\binom{n}{2}", "binom(n, 2)"),
        (r"\operatorname{Reg}_T", "Reg_T"),
        (r"\Bigl[\tilde O(1)\Bigr] \implies \{0, 1\}", "[Õ(1)] ⇒ {0, 1}"),
    ],
)
def test_a_formula_in_unicode_means_the_same(formula: str, shown: str) -> None:
    assert plain(f"${formula}$") == shown


@each("text", ["costs $5", "$a$ and $b", "$$x$$", "an empty $ $ one", r"$\nosuchcommand x$", r"$\frac{a$"])
def test_a_formula_that_cannot_be_read_is_told_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as told:
        plain(text)
    assert "\n" not in str(told.value)
