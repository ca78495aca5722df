"""Text with formulas: words, and LaTeX between single dollar signs.

Markdown and tables of data have such text as it is. Here it becomes a cell of a Markdown table, HTML with
MathML, which browsers draw without a library and without a network, or plain text for a terminal.
"""

import functools
import re
from collections.abc import Callable
from html import unescape
from xml.etree import ElementTree

from markupsafe import Markup, escape
from math_core import LatexError, LatexToMathML

from private_experts.errors import InputError

_APART = {*"=≤≥<>+−±≈∼≠∈∉∝→⇒⟹⟺⪯×∣∨⊗"}  # signs with a space on either side
_SUMS = {"∑", "∏", "∫"}
_PRIMES = {"′", "″"}
_ACCENTS = {"˜": "\u0303", "ˆ": "\u0302", "¯": "\u0304", "̲": "\u0332"}  # as they combine with a letter


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


def plain(text: str) -> str:
    """Return the text for a terminal: formulas in Unicode on one line, as in ``(n + 1)/2`` and ``a_i``."""
    return _written(text, str, _in_words)


def _in_words(latex: str) -> str:
    # MathML has named entities, of which XML knows but those that stand for its own signs.
    marked = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda entity: unescape(entity[0]), str(mathml(latex)))
    line = _on_a_line(ElementTree.fromstring(marked))
    # MathML's sign for applying a function is not seen: log n, but log(n). A minus at a beginning is no
    # difference.
    line = re.sub(r"\u2061\s*(?![(\s])", " ", line).replace("\u2061", "")
    line = re.sub(r"(?<=[(\[])\s+|\s+(?=[)\],])", "", " ".join(line.split()))
    return re.sub(r"(^|[(\[{=≤≥<>,]\s?)− ", r"\1−", line)


def _on_a_line(element: ElementTree.Element) -> str:
    kind, parts = element.tag.rpartition("}")[2], [_on_a_line(part) for part in element]
    match kind, parts:
        case "mspace", _:
            return " "
        case "mo", _ if (sign := element.text or "") in _APART and element.get("form") != "prefix":
            return f" {sign} "
        case "mfrac", [above, below]:
            if element.get("linethickness"):  # a binomial coefficient
                return f"{above} choose {below}"
            return f"{_grouped(above, least=True)}/{_grouped(below, least=True)} "
        case "msqrt", _:
            return f"√{_grouped(''.join(parts))}"
        case "mover" | "munder", [base, accent] if accent in _ACCENTS:
            return f"{base}{_ACCENTS[accent]}"
        case "msub" | "munder", [base, below]:
            return f"{base.strip()}_{_grouped(below)}{' ' * (base in _SUMS)}"
        case "msup", [base, above]:
            return f"{base}{above}" if above in _PRIMES else f"{base}^{_grouped(above)}"
        case "msubsup" | "munderover", [base, below, above]:
            raised = above if above in _PRIMES else f"^{_grouped(above)}"
            return f"{base.strip()}_{_grouped(below)}{raised}{' ' * (base in _SUMS)}"
    return "".join(parts) or element.text or ""


def _grouped(part: str, least: bool = False) -> str:
    """Return a part of a formula in brackets, unless it is one name or number, or with `least` one letter."""
    name = r"\w|[\d.]+|∞" if least else r"√?[\w.∞*∗]+|\([^()]*\)"
    part = part.strip()
    return part if re.fullmatch(rf"({name})[\u0300-\u036f]?", part) else f"({part})"
