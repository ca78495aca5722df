"""Formulas that break between two lines: after commas, at relations, and at signs when that is not enough.

Browsers draw a formula on one line. So a long one becomes several, and lines of text break between them. Inside of
parentheses only what is very long is broken.
"""

import functools
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from markupsafe import Markup

from private_experts.replication.claims.page.mathml import (
    BINARY,
    CLOSING,
    OPENING,
    PUNCTUATION,
    RELATION,
    kinds,
    mathml,
)

SHORT = 12  # signs in a piece that needs no break
LONG = 24  # signs in a piece that is broken even between parentheses
_WAYS = [(kind, depth, least) for depth, least in ((0, SHORT), (9, LONG)) for kind in (PUNCTUATION, RELATION, BINARY)]
_BREAK = Markup("<wbr>")


@functools.cache
def flowing(latex: str, display: bool = False) -> Markup:
    """Return a formula as pieces of MathML that a line may break between.

    Parameters
    ----------
    latex : str
        The formula.
    display : bool
        Draw it in the style of displayed formulas. The first piece then carries the LaTeX.

    Raises
    ------
    InputError
        When the formula cannot be read.
    """
    whole = fromstring(mathml(latex, "inline"))
    pieces = [list(whole)]
    for kind, depth, least in _WAYS:
        parts = [_broken(each, kind, depth) if sum(map(signs, each)) > least else [each] for each in pieces]
        pieces = [part for each in parts for part in each]
    drawn = []
    for number, piece in enumerate(pieces):
        math = Element("math", {"displaystyle": "true"} if display else {})
        if display and number == 0:
            inner = SubElement(math, "semantics")
            SubElement(inner, "mrow").extend(piece)
            SubElement(inner, "annotation", {"encoding": "application/x-tex"}).text = latex
        else:
            math.extend(piece)
        drawn.append(Markup(tostring(math, encoding="unicode")))
    return _BREAK.join(drawn)


def signs(element: Element) -> int:
    """Count the letters, numbers and signs of a formula; a word counts by its length."""
    if len(element):
        inner = [signs(each) for each in element]
        return max(inner) if element.tag == "mfrac" else sum(inner)
    return max(len((element.text or "").strip()), 1) if element.tag in ("mi", "mn", "mo", "mtext") else 0


def _broken(atoms: list[Element], kind: int, deepest: int) -> list[list[Element]]:
    """Return the atoms in pieces: broken before relations and binary signs and after commas.

    Nothing is broken inside of more than `deepest` parentheses.
    """
    pieces: list[list[Element]] = [[]]
    depth = 0
    ended = False  # a piece ends after its comma and the space that follows
    for atom, each in zip(atoms, kinds(atoms), strict=True):
        space = atom.tag == "mspace"
        if depth <= deepest and pieces[-1] and ((ended and not space) or each == kind != PUNCTUATION):
            pieces.append([])
        pieces[-1].append(atom)
        depth += (each == OPENING) - (each == CLOSING and atom.text != "!")
        quad = space and kind == PUNCTUATION and atom.get("width", "0em") >= "1em"
        ended = quad or each == kind == PUNCTUATION or (ended and space)
    return pieces
