"""Text with formulas: words, and LaTeX between single dollar signs.

Markdown, terminals and tables of data have such text as it is. Here it becomes a cell of a Markdown
table, or HTML with MathML, which browsers draw without a library and without a network.
"""

import functools
import re
from collections.abc import Callable

from markupsafe import Markup, escape
from math_core import LatexError, LatexToMathML

from private_experts.errors import InputError


def pieces(text: str) -> list[tuple[str, str]]:
    """Return words, each with the formula after it; the last formula is empty. Newlines turn to spaces."""
    parts = " ".join(text.split()).split("$")
    # An odd dollar sign would turn all words after it into a formula.
    if len(parts) % 2 == 0 or not all(map(str.strip, parts[1::2])):
        raise InputError(f"{text!r}: write formulas between single dollar signs")
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def _written(text: str, words: Callable[[str], str], formula: Callable[[str], str]) -> str:
    return "".join(words(before) + (formula(latex) if latex else "") for before, latex in pieces(text))


def cell(text: str) -> str:
    """Return the text for a cell of a Markdown table, which a vertical bar would end."""
    bars = {"|": r"\vert ", r"\|": r"\Vert "}
    return _written(
        text,
        lambda words: words.replace("|", r"\|"),
        lambda formula: "$" + re.sub(r"\\?\|", lambda bar: bars[bar[0]], formula) + "$",
    )


def html(text: str) -> Markup:
    """Return the text for a web page: formulas in MathML, everything else escaped."""
    return Markup(_written(text, lambda words: str(escape(words)), lambda formula: str(mathml(formula))))


@functools.cache
def mathml(latex: str, display: bool = False) -> Markup:
    """Return a formula as MathML; a displayed one keeps its LaTeX for those who copy it."""
    converter = LatexToMathML(fancy_error=False, annotation=display)
    try:
        return Markup(converter.convert_with_local_state(latex, displaystyle=display))
    except LatexError as error:
        raise InputError(f"the formula {latex!r} cannot be read: {error}") from error
