"""Text and numbers as LaTeX, for the standard fonts and no package beyond amsmath."""

import math
import posixpath
import re
import unicodedata
from collections.abc import Sequence

_PLAIN = {letter: f"\\{letter}" for letter in "&%_#${}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2013": "--",
    "\u2014": "---",
    "\u2026": r"\dots{}",
    "\u00a0": "~",
}
_FORMULAS = {
    "<": "<",
    ">": ">",
    "|": "|",
    "±": r"\pm",
    "∞": r"\infty",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "·": r"\cdot",
    "\u00d7": r"\times",
    "\u2212": "-",
    "→": r"\to",
    "√": r"\surd",
    "²": "^2",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "η": r"\eta",
    "λ": r"\lambda",
    "μ": r"\mu",
    "\u00b5": r"\mu",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
    "φ": r"\varphi",
    "Δ": r"\Delta",
    "Σ": r"\Sigma",
    "Φ": r"\Phi",
}
_SIGNS = _PLAIN | {letter: f"${sign}$" for letter, sign in _FORMULAS.items()}


def escaped(text: object) -> str:
    """Return text as LaTeX: special characters escaped, no accents, hyphens before numbers minus signs."""
    signs = "".join(map(_sign, str(text)))
    return re.sub(r"(?<![\w.)\]}-])-(?=[\d.])", "$-$", signs)


def traced(sources: Sequence[str], latex: str) -> str:
    """Return a number's LaTeX as a link to where a paper says from which tables or claims it is."""
    return rf"\from{{{'+'.join(sources)}}}{{{latex}}}"


def linked(path: str, name: str = "") -> str:
    """Return a path of the repository, or a name of it, as a link from `paper`, where a PDF is made."""
    address = re.sub(r"([#%])", r"\\\1", posixpath.relpath(path, "paper"))
    return rf"\href{{{address}}}{{\texttt{{{breakable(name or path)}}}}}"


def breakable(name: str) -> str:
    """Return a name as LaTeX that may be broken after a slash, a colon or a hyphen."""
    return re.sub(r"(?<=[/:])|(?<=\w)(?=-)", r"\\allowbreak{}", escaped(name))


def _sign(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter.isascii():
        return letter if letter.isprintable() else " "
    # The standard fonts lack most letters with accents: the bare letter is better than a missing one.
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return "".join(map(_sign, base)) or "?"


def number(value: float | str, digits: int = 3) -> str:
    """Return a number for use inside a formula, with so many significant digits; also ``inf`` as text."""
    figure = float(value)
    if math.isnan(figure):
        return r"\text{not a number}"
    if math.isinf(figure):
        return r"\infty" if figure > 0 else r"-\infty"
    plain = 10**digits <= abs(figure) < 10**6  # where a power of ten is harder to read
    mantissa, _, exponent = f"{figure:.{0 if plain else digits}{'f' if plain else 'g'}}".partition("e")
    if not exponent:
        return mantissa
    power = rf"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa}\cdot{power}"
