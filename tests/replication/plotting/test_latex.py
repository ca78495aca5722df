"""Text and numbers as LaTeX."""

from private_experts.replication.plotting.latex import escaped, number
from tests.each import each


@each(
    ("text", "latex"),
    [
        ("50 % & #1 {x}_$", r"50 \% \& \#1 \{x\}\_\$"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("μ = ∞, 1 ± 2, <>|", r"$\mu$ = $\infty$, 1 $\pm$ 2, $<$$>$$|$"),
        ("-4.9, (-76 weeks), [-1, 2]", r"$-$4.9, ($-$76 weeks), [$-$1, 2]"),
        ("w8-weak, 2021-01-01, 1e-9, z-5", "w8-weak, 2021-01-01, 1e-9, z-5"),  # these are hyphens
        ("données 医", "donnees ?"),
        ("a\nb\t\x07", "a b  "),
    ],
)
def test_text_is_set_as_it_stands(text, latex):
    assert escaped(text) == latex


@each(
    ("value", "latex"),
    [
        *((0.12345, "0.123"), (-12, "-12"), (1584.9, "1585"), (-999_999, "-999999")),
        *((1e-9, r"10^{-9}"), (-1.5e7, r"-1.5\cdot10^{7}")),
        *(("inf", r"\infty"), ("-inf", r"-\infty"), (float("nan"), r"\text{not a number}")),
    ],
)
def test_numbers_have_few_digits_and_no_letters(value, latex):
    assert number(value) == latex
