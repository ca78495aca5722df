"""LaTeX as MathML, which browsers draw without a library and without a network, and where its lines may break.

Browsers draw a formula on one line. So a long formula becomes several, with a possible line break between them. It
breaks where TeX would break it, before relations and binary signs, and after commas; between parentheses only when the
part is very long.
"""

import functools
import re

from markupsafe import Markup
from math_core import LatexError, LatexToMathML

from private_experts.errors import InputError

SHORT = 12  # signs in a formula that needs no break
LONG = 32  # signs in a part that may break even between parentheses

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.")
_SPACES = {r"\,", r"\:", r"\;", r"\ ", r"\quad", r"\qquad"}
_NAMED = (
    "le ge ne equiv approx sim propto in notin subset subseteq preceq succeq ll gg lesssim gtrsim coloneqq "
    "to mapsto implies iff Rightarrow Leftrightarrow pm cdot times cup cap wedge vee"
)
_SIGNS = {*"=<>+-", *(rf"\{name}" for name in _NAMED.split())}
_OPENING = {*"([", r"\{", r"\lfloor", r"\lceil", r"\langle", r"\lbrace"}
_CLOSING = {*")]", r"\}", r"\rfloor", r"\rceil", r"\rangle", r"\rbrace"}
_GROUPS = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}  # TeX breaks no line inside these
_NESTED = _GROUPS | dict.fromkeys(_OPENING, 1) | dict.fromkeys(_CLOSING, -1)
_LARGE = re.compile(r"(\\[bB]igg?r?\s*(?:\\[A-Za-z]+|\\?.))(?=\s*[_^])")
_BEFORE_NUMBERS = _SIGNS | _OPENING | {*",^_:{", r"\left"}  # a + or - after these is the sign of a number


@functools.cache
def mathml(latex: str, display: bool = False, annotated: bool = False) -> Markup:
    """Return a formula as MathML; `annotated` keeps its LaTeX for those who copy it."""
    converter = LatexToMathML(fancy_error=False, annotation=annotated, macros={"colon": r"{:}\,"})
    large = _LARGE.sub(r"{{}\1}", latex)  # a delimiter alone under its exponent is drawn small by browsers
    try:
        return Markup(converter.convert_with_local_state(large, displaystyle=display))
    except LatexError as error:
        raise InputError(f"the formula {latex!r} cannot be read: {error}") from error


def breakable(latex: str, display: bool = False) -> Markup:
    """Return a formula as MathML that a line may break at; a displayed one is annotated with its LaTeX."""
    parts = [latex]
    for least, levels in ((SHORT, _NESTED), (LONG, _GROUPS)):
        parts = [piece for part in parts for piece in (_split(part, levels) if _length(part) > least else [part])]
    drawn = [mathml(part, display, annotated=display) for part in parts]
    inline = [str(each).replace(' display="block"', ' displaystyle="true"', 1) for each in drawn]
    return Markup("<wbr>").join(map(Markup, inline))


def _length(latex: str) -> int:
    return sum(token not in _SPACES | {*"{}_^ "} for token in _TOKEN.findall(latex))


def _split(latex: str, levels: dict[str, int]) -> list[str]:
    """Return the parts of a formula between which a line may break.

    A part that begins with a sign begins with an empty group too, so that the sign keeps its space on both sides.
    """
    parts, depth, before, ended = [""], 0, "{", False
    for token in _TOKEN.findall(latex):
        space = token.isspace() or token in _SPACES
        if depth == 0 and token in _SIGNS and before not in _BEFORE_NUMBERS and parts[-1] != "{}":
            parts.append("{}")
        elif ended and not space:
            parts.append("")
        depth += levels.get(token, 0)
        ended = depth == 0 and (token in (",", ";", r"\quad", r"\qquad") or (ended and space))
        parts[-1] += token
        before = before if space else token
    return parts
