"""LaTeX as MathML, which browsers draw without a library and without a network.

The converter knows symbols and structure. It does not know which sign is a relation and which is the sign of a number,
where TeX puts space, and what goes below an operator. That is added here, with TeX's own table of spaces between kinds
of atoms.
"""

import functools
import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup

from private_experts.errors import InputError

# Kinds of atoms, as in TeX.
ORDINARY, OPERATOR, BINARY, RELATION, OPENING, CLOSING, PUNCTUATION = range(7)

# Space between neighbours, in eighteenths of an em; negative is left out in sub- and superscripts.
_SPACES = (
    (0, 3, -4, -5, 0, 0, 0),
    (3, 3, -4, -5, 0, 0, 0),
    (-4, -4, 0, 0, -4, 0, 0),
    (-5, -5, 0, 0, -5, 0, 0),
    (0, 0, 0, 0, 0, 0, 0),
    (0, 3, -4, -5, 0, 0, 0),
    (-3, -3, 0, -3, -3, -3, -3),
)

_KINDS = {
    sign: kind
    for kind, signs in {
        OPERATOR: "∑∏∫∐⋃⋂⋁⋀",
        BINARY: "+−-±∓·×÷∗∘∪∩∧∨∖⧵⊕⊗⊙⋆",
        RELATION: "=<>≤≥≠≡≈≃≅∼∝∈∉∋⊂⊃⊆⊇⪯⪰≺≻≪≫≲≳→←↔↦⇒⇐⇔⟶⟵⟹⟸⟺∣⊥⊢⊨≔≜≍",
        OPENING: "([{⌈⌊⟨",
        CLOSING: ")]}⌉⌋⟩!",
        PUNCTUATION: ",;:",
    }.items()
    for sign in signs
}
_BELOW = {"max", "min", "sup", "inf", "lim", "limsup", "liminf", "argmax", "argmin", "Pr"}
_SCRIPTS = {"msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
_PARTS = _SCRIPTS | {"mfrac": 2, "mroot": 2}  # how many an element must have
_ROWS = {"math", "mrow", "msqrt", "mstyle", "mtd", "mpadded", "mphantom"}
_INSTEAD = {"~": "∼", "⧵": "∖", r"\{": "{", r"\}": "}", r"\|": "‖"} | {
    rf"\{name}": sign  # beside \Bigl and its like the converter leaves these as they are
    for name, sign in {
        "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "langle": "⟨", "rangle": "⟩",
        "lbrace": "{", "rbrace": "}",
        "vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖",
    }.items()
}  # fmt: skip
_ALPHABETS = {"bold": "BOLD", "bold-italic": "BOLD", "script": "SCRIPT", "double-struck": "DOUBLE-STRUCK",
              "fraktur": "FRAKTUR"}  # fmt: skip
_ARG = re.compile(r"\\operatorname\*?\{arg\\,(min|max)\}|\\arg\s*\\(min|max)")
_UPRIGHT = set("ΓΔΘΛΞΠΣΥΦΨΩ")  # as LaTeX has them
_SLANTED = set("FJPTUVWY")  # whose tops lean into what stands above and to the right
_FENCES = "|‖"
_ACCENTS = "^¯―ˇ˘˙¨`´⏟⏞→"


@functools.cache
def mathml(latex: str, display: Literal["block", "inline"] = "block") -> Markup:
    """Return a formula as MathML; a displayed one has its LaTeX as an annotation.

    Raises
    ------
    InputError
        When the formula cannot be read, or has a command that the converter would leave as it was typed.
    """
    try:
        made = convert_to_element(re.sub(_ARG, r"\\arg\1\2", latex), display=display)
    except Exception as error:  # the converter has a class of its own for each mistake
        raise InputError(f"the formula {latex!r} cannot be read ({type(error).__name__}: {error})") from error
    row = Element("mrow")
    row.extend(list(made[0]))
    for element in row.iter():
        _mend_token(element)
    if unknown := [each.text for each in row.iter() if each.text and re.match(r"\\[A-Za-z]", each.text)]:
        raise InputError(f"the formula {latex!r} cannot be read: {unknown[0]} is not known; write it otherwise")
    if any(len(each) != _PARTS.get(each.tag, len(each)) for each in row.iter()):
        raise InputError(f"the formula {latex!r} cannot be read: something is missing in a fraction or a script")
    if any(each.tag == "mo" and not each.text and not each.attrib for each in row.iter()):
        raise InputError(f"the formula {latex!r} cannot be read: the name of an operator is not one of letters alone")
    _reshape(row)
    _space(row, script=False)
    math = Element("math", {"display": display} if display == "block" else {})
    if display == "block":
        semantics = SubElement(math, "semantics")
        semantics.append(row)
        SubElement(semantics, "annotation", {"encoding": "application/x-tex"}).text = latex
    else:
        math.extend(list(row) if row.tag == "mrow" and not row.attrib else [row])  # it is a row itself
    return Markup(tostring(math, encoding="unicode"))


def _mend_token(element: Element) -> None:
    """Give one token its right letters, its right tag and no space of its own."""
    text = html.unescape(element.text or "")
    element.text = text = _INSTEAD.get(text, text) if element.tag != "mtext" else text
    variant = element.attrib.pop("mathvariant", None)
    if element.tag == "mtext":
        element.text = re.sub(r"\\([&%#_$])", r"\1", text)
    if element.tag == "mtext" or not text:
        return
    if variant in _ALPHABETS:
        element.text = text = "".join(_twin(letter, _ALPHABETS[variant]) for letter in text)
    elif variant in ("normal", "sans-serif") or text in _UPRIGHT:
        element.set("mathvariant", "normal")
    name = _is_name(text)
    if element.tag == "mi" and (text in _KINDS or name):
        element.tag = "mo"  # a relation that the converter takes for a letter, or log
    elif element.tag == "mo" and len(text) == 1 and text not in (*_KINDS, "/", *_FENCES, *_ACCENTS):
        element.tag = "mi"
    if name:
        element.set("movablelimits", "true" if _letters(text) in _BELOW else "false")
    elif (text in _FENCES or _kind(text) in (OPENING, CLOSING)) and not {"minsize", "fence"} & {*element.attrib}:
        element.set("stretchy", "false")


def _letters(text: str) -> str:
    return "".join(text.split())


def _is_name(text: str) -> bool:
    """Tell whether a token is the name of an operator, such as log or lim sup."""
    return len(text) > 1 and _letters(text).isascii() and _letters(text).isalpha()


def _twin(letter: str, alphabet: str) -> str:
    """Return a letter or digit of another alphabet; mathvariant knows only `normal` in today's browsers."""
    name = unicodedata.name(letter, "").replace("LATIN ", "").replace("GREEK ", "").replace("LETTER ", "")
    for twin in (f"MATHEMATICAL {alphabet} {name}", f"{alphabet.replace('FRAKTUR', 'BLACK-LETTER')} {name}"):
        try:
            return unicodedata.lookup(twin)
        except KeyError:
            continue
    return letter


def _reshape(element: Element) -> None:
    """Put elements together in the way that browsers draw well."""
    for child in element:
        _reshape(child)
    if element.tag == "mover" and element[1].text == "―":  # no font stretches it over a whole expression
        element.tag = "mrow"
        element.set("class", "overline")
        element.remove(element[1])
    if element.tag in _SCRIPTS and "minsize" in element[0].attrib:  # alone in its row it would keep its small size
        large = Element("mrow")
        large.extend([Element("mi"), element[0]])
        element[0] = large
    if element.tag in ("msup", "msubsup") and element[0].text in _SLANTED:
        raised = Element("mrow")
        raised.extend([Element("mspace", {"width": "0.1em"}), element[-1]])
        element[-1] = raised
    upright = [child.tag == "mi" and child.get("mathvariant") == "normal" for child in element]
    if element.tag == "mrow" and len(upright) > 1 and all(upright):  # the letters of one word come one by one
        element.tag, element.text = "mi", "".join(child.text or "" for child in element)
        del element[:]


def _core(element: Element) -> Element | None:
    """Return the operator that an element consists of, whatever stands above and below it."""
    if element.tag == "mo":
        return element
    if element.tag in _SCRIPTS and len(element):
        return _core(element[0]) if element.get("accent") != "true" else None
    return None


def _kind(text: str) -> int:
    if _is_name(text):
        return BINARY if text == "mod" else OPERATOR
    return _KINDS.get(text, ORDINARY)


def kinds(atoms: list[Element]) -> Iterator[int]:
    """Yield each atom's kind; what looks binary but has nothing on one side is the sign of a number."""
    named = [_kind(core.text or "") if (core := _core(atom)) is not None else ORDINARY for atom in atoms]
    before = None
    for atom, kind, after in zip(atoms, named, [*named, None][1:], strict=True):
        lonely = before in (None, OPERATOR, BINARY, RELATION, OPENING, PUNCTUATION)
        lonely = lonely or after in (None, RELATION, CLOSING, PUNCTUATION)
        yield (kind := ORDINARY if kind == BINARY and lonely else kind)
        # A name with an index, such as Reg_T, is a quantity that something may be taken from.
        before = ORDINARY if kind == OPERATOR and atom.tag in ("msub", "msup", "msubsup") else kind


def _space(element: Element, script: bool) -> None:
    """Put TeX's space between the atoms of every row."""
    if element.tag in _SCRIPTS:
        core = _core(element)
        if core is not None and _letters(core.text or "") in _BELOW and element.tag in ("msub", "msubsup"):
            element.tag = {"msub": "munder", "msubsup": "munderover"}[element.tag]
    for place, child in enumerate(element):
        _space(child, script or (element.tag in _SCRIPTS and place > 0))
    if element.tag not in _ROWS:
        return
    atoms = [child for child in element if child.tag != "mspace"]
    cores = [_core(atom) for atom in atoms]
    for core in cores:
        if core is not None:
            core.set("lspace", "0")
            core.set("rspace", "0")
    found = list(kinds(atoms))
    for place in range(1, len(atoms)):
        space = _SPACES[found[place - 1]][found[place]]
        if space == 0 or (space < 0 and script):
            continue
        width, (left, right) = f"{abs(space) / 18:.3f}em".removeprefix("0"), (cores[place - 1], cores[place])
        if right is not None:
            right.set("lspace", width)
        elif left is not None:
            left.set("rspace", width)
