"""SVG in fewer bytes: a full run has two megabytes of it, and the page is one file."""

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise
from urllib.parse import quote

from markupsafe import Markup

# Signs that need no escape in a data URI that stands between double quotes.
_SAFE = " =:/;,.()-_*+!~@$'<>"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NUMBER = r"-?\d+\.\d+"


def slim(svg: str) -> str:
    """Return an SVG that draws the same.

    It has no comments and metadata, short names for what is used again and none for the rest. Coordinates are rounded
    to a tenth of a point, and those of letters to a unit of their outlines, which is less.
    """
    body = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)
    body = re.sub(r'(<path id="[A-Za-z]+-[0-9a-f]+" d=)("[^"]*")', lambda found: found[1] + _rounded(found[2], 0), body)
    body = re.sub(
        r' (?:d|x|y|points|x1|x2|y1|y2)="[^"]*"|translate\([^)]*\)', lambda found: _rounded(found[0], 1), body
    )
    body = re.sub(r'(<use [^>]*)transform="translate\(([-\d.]+) ([-\d.]+)\)"', r'\1x="\2" y="\3"', body)
    body = body.replace(' y="0"/>', "/>")
    body = re.sub(r' d="([^"]*)"', lambda found: f' d="{_path(found[1])}"', body)
    body = re.sub(r' style="([^"]*)"', lambda found: f' style="{re.sub("([:;,]) +", _alone, found[1])}"', body)
    body = re.sub(r"\s+", " ", _renamed(body)).replace("> <", "><").replace(" />", "/>").strip()
    return _bare(_classed(_shared(body)))


def data_uri(svg: str) -> Markup:
    """Return an SVG as a data URI, for an attribute between double quotes."""
    return Markup("data:image/svg+xml," + quote(slim(svg).replace('"', "'"), safe=_SAFE))


def _rounded(text: str, digits: int) -> str:
    def shorter(found: re.Match[str]) -> str:
        number = f"{float(found[0]):.{digits}f}"
        number = number.rstrip("0").rstrip(".") if digits else number
        return "0" if number == "-0" else number

    return re.sub(_NUMBER, shorter, text)


def _alone(found: re.Match[str]) -> str:
    return found[1]


def _path(steps: str) -> str:
    """Return a path with its spaces left out, and lines as steps from point to point where that is shorter."""
    made: list[str] = []
    here = (Decimal(0), Decimal(0))
    plain = not re.search(r"z\s*L|[^MLQCz\s\d.-]", steps)  # only there the place where a line begins is the last one
    for letter, points in _runs(steps):
        if letter != "L" or not plain:
            made.append(letter + _joined(points))
            here = (points[-2], points[-1]) if len(points) > 1 else here
            continue
        places = [here, *zip(points[::2], points[1::2], strict=True)]
        moves = [each - before for one, other in pairwise(places) for before, each in zip(one, other, strict=True)]
        after_move = bool(made) and made[-1][0] == "M"  # lines that follow a move need no letter
        written = _joined(points)
        absolute = ("" if written.startswith("-") else " ") + written if after_move else "L" + written
        made.append(min(absolute, "l" + _joined(moves), key=len))
        here = places[-1]
    return "".join(made)


def _runs(steps: str) -> list[tuple[str, tuple[Decimal, ...]]]:
    """Return the letters of a path with their numbers; lines that follow each other are one run."""
    runs: list[tuple[str, tuple[Decimal, ...]]] = []
    for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", steps):
        points = tuple(map(Decimal, numbers.split()))
        if letter == "L" and runs and runs[-1][0] == "L":
            runs[-1] = ("L", runs[-1][1] + points)
        else:
            runs.append((letter, points))
    return runs


def _joined(numbers: Iterable[Decimal]) -> str:
    written = " ".join(f"{number.normalize():f}" for number in numbers)
    return re.sub(r" +(?=-)", "", re.sub(r"(?<!\d)0\.", ".", written))


def _renamed(body: str) -> str:
    """Return an SVG in which what is used again has a short name, and the rest none."""
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    short = {name: _name(number) for number, name in enumerate(used)}
    body = re.sub(r' id="([^"]*)"', lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", body)
    body = re.sub(r'((?:href="|url\()#)([^")]+)', lambda found: found[1] + short[found[2]], body)
    return body.replace("xlink:href=", "href=")


def _name(number: int) -> str:
    """Return the shortest name that no smaller number has."""
    name = ""
    while number >= 0:
        number, place = divmod(number, len(_LETTERS))
        name, number = _LETTERS[place] + name, number - 1
    return name


def _shared(body: str) -> str:
    """Return an SVG in which marks that have one style get it from their group."""

    def moved(found: re.Match[str]) -> str:
        styles = set(re.findall(r' style="[^"]*"', found[2]))
        if len(styles) != 1 or found[2].count(" style=") != found[2].count("<use"):
            return found[0]
        style = styles.pop()
        return f"<g{found[1]}{style}>{found[2].replace(style, '')}</g>"

    return re.sub(r'<g((?: clip-path="[^"]*")?)>((?:<use [^>]*/>)+)</g>', moved, body)


def _classed(body: str) -> str:
    """Return an SVG in which styles that come often are classes of its style sheet."""
    often = [style for style, times in Counter(re.findall(r' style="([^"]*)"', body)).items() if times > 2]
    sheet, end, rest = body.partition("</style>")
    if not end or "<svg" not in sheet:
        return body
    names = {style: _name(number) for number, style in enumerate(often)}
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())

    def named(found: re.Match[str]) -> str:
        return f' class="{names[found[1]]}"' if found[1] in names else found[0]

    return sheet + rules + end + re.sub(r' style="([^"]*)"', named, rest)


def _bare(body: str) -> str:
    """Return an SVG without groups that say nothing of what they hold."""
    kept, says = [], []
    for part in re.split(r"(<g(?: [^>]*[^/>])?>|</g>)", body.replace("<g/>", "")):
        if part.startswith("<g"):
            says.append(part != "<g>")
        if not re.fullmatch(r"<g>|</g>", part) or (part == "</g>" and says.pop()):
            kept.append(part)
    return "".join(kept)
