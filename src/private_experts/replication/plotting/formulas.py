"""Text with formulas: words, and LaTeX between single dollar signs.

Markdown takes such text as it is. Here it becomes plain text, LaTeX, a cell of a Markdown table, or HTML.
"""

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError
from private_experts.replication.plotting.latex import escaped

if TYPE_CHECKING:
    from markupsafe import Markup

_MACROS = {"implies": "⇒", "iff": "⇔", "ne": "≠", "colon": ":", "|": "‖", "lVert": "‖", "rVert": "‖"}
_MACROS |= dict.fromkeys(("binom", "tbinom"), " binom(%s, %s)")
_NOTHING = ("big", "Big", "bigl", "bigr", "Bigl", "Bigr", "textstyle", "displaystyle")
# What pylatexenc does not know the arguments of.
_ARGUMENTS = {**dict.fromkeys(("binom", "tbinom", "tfrac", "dfrac"), "{{"), "operatorname": "*{"}
_NAMES = ("arg", "exp", "inf", "lim", "ln", "log", "max", "min", "sup", "tanh", "Pr")
_APPLIED = "\u2061"  # stands after the name of a function until it is known what follows
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def pieces(text: str) -> list[tuple[str, str]]:
    """Return the words and the formula after them, again and again; the last formula is empty. Lines become spaces."""
    parts = " ".join(text.split()).split("$")
    if len(parts) % 2 == 0 or not all(map(str.strip, parts[1::2])):
        raise InputError(f"{text!r}: write formulas between single dollar signs")
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def _written(text: str, words: Callable[[str], str], formula: Callable[[str], str]) -> str:
    return "".join(words(before) + (formula(latex) if latex else "") for before, latex in pieces(text))


def plain(text: str) -> str:
    """Return the text for a terminal, a CSV file or a search: formulas in Unicode, on one line."""
    return _written(text, str, _unicode)


def latex(text: str) -> str:
    """Return the text for a LaTeX document: the words escaped, the formulas as they are."""
    return _written(text, escaped, "${}$".format)


def cell(text: str) -> str:
    """Return the text for a cell of a Markdown table, which a vertical bar would end."""
    bars = {"|": r"\vert ", r"\|": r"\Vert "}
    return _written(
        text,
        lambda words: words.replace("|", r"\|"),
        lambda formula: "$" + re.sub(r"\\?\|", lambda bar: bars[bar[0]], formula) + "$",
    )


def html(text: str) -> "Markup":
    """Return the text for a web page: formulas in MathML, everything else escaped."""
    from markupsafe import Markup, escape

    from private_experts.replication.plotting.math_linebreaks import breakable

    return Markup(_written(text, lambda words: str(escape(words)), lambda formula: str(breakable(formula))))


@functools.cache
def _unicode(formula: str) -> str:
    """Return a formula in Unicode: fractions with a slash, exponents raised where Unicode has them."""
    from pylatexenc.latexwalker import LatexWalkerParseError

    reader, syntax = _reader()
    try:
        text = reader.latex_to_text(formula, tolerant_parsing=False, latex_context=syntax)
    except LatexWalkerParseError as error:
        raise InputError(f"the formula {formula!r} cannot be read; {error.msg}") from error
    while (shorter := re.sub(r"([_^])\s*\{([^{}]*)\}", _script, text)) != text:
        text = shorter
    text = re.sub(r"\^([0-9])", lambda found: found[1].translate(_RAISED), text)
    text = re.sub(r"\s*([=<>≤≥≈≠∈∉∼∝→⪯×≫⇒⇔])\s*", r" \1 ", text)
    text = re.sub(rf"{_APPLIED}\s*(?=[(\[{{^_⁰¹²³⁴-⁹])", "", text).replace(_APPLIED, " ")
    text = re.sub(r"(?<=[(\[{/√]) +| +(?=[)\]},;/^_])", "", text)
    return " ".join(text.split())


def _script(found: re.Match[str]) -> str:
    sign, body = found[1], found[2].strip(f" {_APPLIED}")
    if sign == "^" and re.fullmatch(r"[+-]?\d+", body):
        return body.translate(_RAISED)
    return sign + (body if re.fullmatch(r"\w|\*" if sign == "^" else r"\w+|\*", body) else f"({body})")


@functools.cache
def _reader() -> tuple[Any, Any]:
    """Return pylatexenc's converter, taught what it would drop or leave ambiguous, and the syntax that it reads."""
    from pylatexenc import latexwalker
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
    from pylatexenc.macrospec import MacroSpec

    def fraction(node: Any, l2tobj: Any) -> str:
        above, below = (l2tobj.node_arg_to_text(node, place).strip() for place in (0, 1))
        above = f"({above})" if re.search(r"[-+=<>]", above) else above
        return f"{above}/{below if _atom(below) else f'({below})'} "

    def root(node: Any, l2tobj: Any) -> str:
        body = l2tobj.node_arg_to_text(node, 1).strip()
        return f"√{body if _atom(body) else f'({body})'} "

    def unknown(node: Any, l2tobj: Any) -> str:
        raise InputError(f"a formula has the unknown command \\{node.macroname}; use another one")

    made: dict[str, Any] = {**_MACROS, **dict.fromkeys(_NOTHING, ""), **{name: f" {name}{_APPLIED}" for name in _NAMES}}
    made |= {"frac": fraction, "tfrac": fraction, "dfrac": fraction, "sqrt": root, "operatorname": f"%(2)s{_APPLIED}"}
    context = get_default_latex_context_db()
    context.add_context_category(
        "ours", prepend=True, macros=[MacroTextSpec(name, simplify_repl=how) for name, how in made.items()]
    )
    context.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=unknown))
    syntax = latexwalker.get_default_latex_context_db()
    syntax.add_context_category("ours", prepend=True, macros=[MacroSpec(*each) for each in _ARGUMENTS.items()])
    reader = LatexNodes2Text(latex_context=context, keep_braced_groups=True, strict_latex_spaces="based-on-source")
    return reader, syntax


def _atom(text: str) -> bool:
    return re.fullmatch(r"\w|[\d.]+", text) is not None
