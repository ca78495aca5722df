"""SVG in fewer bytes: a full run has two megabytes of it, and the page is one file."""

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from urllib.parse import quote

from markupsafe import Markup

# Signs that need no escape in a data URI that stands between double quotes.
_SAFE = " =:/;,.()-_*+!~@$'<>"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NUMBER = r"-?\d+\.\d+"
# Matplotlib writes outlines of letters in 64ths of a hundredth of the letter's size. An eighth of that grid is enough:
# 0.01 points for letters of 8 points.
_LETTER = re.compile(r'(<path id="[A-Za-z]+-[0-9a-f]+" d=)"([^"]*)" transform="scale\(0\.015625\)"')
_COARSER = 8


def slim(svg: str) -> str:
    """Return an SVG that draws the same.

    It has no comments and metadata, short names for what is used again and none for the rest. Coordinates are rounded
    to a tenth of a point, and those of letters to a hundredth or so.
    """
    body = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)
    body = _LETTER.sub(_letter, body)
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


def _letter(found: re.Match[str]) -> str:
    outline = re.sub(r"-?[\d.]+", lambda number: str(round(float(number[0]) / _COARSER)), found[2])
    return f'{found[1]}"{outline}" transform="scale({_COARSER / 64:g})"'


def _alone(found: re.Match[str]) -> str:
    return found[1]


def _path(steps: str) -> str:
    """Return a path with its spaces left out, and lines and curves as steps where that is shorter."""
    made: list[str] = []
    here = (Decimal(0), Decimal(0))
    plain = not re.search(r"z\s*[LQ]|[^MLQCz\s\d.-]", steps)  # only there the place where a line begins is the last one
    for letter, numbers in _runs(steps):
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        written = _joined(numbers)
        choices = [letter + written]
        if letter in "LQ" and plain:
            each = "LQ".index(letter) + 1  # points of a step, of which the last is where the next one begins
            starts = [start for start in [here, *points[each - 1 :: each]][:-1] for _ in range(each)]
            moves = [
                a - b for point, start in zip(points, starts, strict=True) for a, b in zip(point, start, strict=True)
            ]
            choices.append(letter.lower() + _joined(moves))
            if letter == "L" and made and made[-1][0] == "M":  # lines that follow a move need no letter
                choices[0] = ("" if written.startswith("-") else " ") + written
        made.append(min(choices, key=len))
        here = points[-1] if points else here
    return "".join(made)


def _runs(steps: str) -> list[tuple[str, tuple[Decimal, ...]]]:
    """Return the letters of a path with their numbers; lines or curves that follow each other are one run."""
    runs: list[tuple[str, tuple[Decimal, ...]]] = []
    for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", steps):
        points = tuple(map(Decimal, numbers.split()))
        if letter in "LQ" and runs and runs[-1][0] == letter:
            runs[-1] = (letter, runs[-1][1] + points)
        else:
            runs.append((letter, points))
    return runs


def _joined(numbers: Iterable[Decimal]) -> str:
    written = " ".join(f"{number.normalize():f}" for number in numbers)
    return re.sub(r" +(?=-)|(?<=\.\d) (?=\.)", "", re.sub(r"(?<!\d)0\.", ".", written))


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
