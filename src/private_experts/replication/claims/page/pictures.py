"""Figures inside the page: each SVG is a picture of its own, so that names inside different SVGs do not clash."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from private_experts.replication.claims.formulas import html, plain

# Signs that need no escape in a data URI; most of an SVG is made of them.
_SAFE = " =:/;,.()-_*+!~@$'"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def slim(svg: str) -> str:
    """Return an SVG that draws the same in fewer bytes.

    It has no comments and metadata, short names for what is used again and none for the rest, and coordinates that are
    rounded to a hundredth of a point.
    """
    body = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.DOTALL)

    def rounded(found: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda value: f"{float(value[0]):.2f}".rstrip("0").rstrip("."), found[0])

    def whole(found: re.Match[str]) -> str:  # letters are drawn at a twelfth of the size of their outlines, or less
        return found[1] + re.sub(r"-?\d+\.\d+", lambda value: f"{float(value[0]):.0f}", found[2])

    body = re.sub(r'(<path id="[A-Za-z]+-[0-9a-f]+" d=)("[^"]*")', whole, body)
    body = re.sub(r' (?:d|x|y|points|x1|x2|y1|y2)="[^"]*"|translate\([^)]*\)', rounded, body)
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    short = {name: _name(number) for number, name in enumerate(used)}
    body = re.sub(r' id="([^"]*)"', lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", body)
    body = re.sub(r'((?:href="|url\()#)([^")]+)', lambda found: found[1] + short[found[2]], body)
    body = body.replace("xlink:href=", "href=").replace("<g>\n", "<g>")
    return re.sub(r"\s+", " ", body).replace("> <", "><").strip()


def _name(number: int) -> str:
    """Return the shortest name that no smaller number has."""
    name = ""
    while number >= 0:
        number, place = divmod(number, len(_LETTERS))
        name, number = _LETTERS[place] + name, number - 1
    return name


def data_uri(svg: str) -> Markup:
    """Return an SVG as a data URI, for an attribute between double quotes."""
    return Markup("data:image/svg+xml," + quote(slim(svg).replace('"', "'"), safe=_SAFE))


def size(svg: str) -> tuple[int, int] | None:
    """Return the width and height that an SVG names in points, in pixels."""
    head = svg[svg.find("<svg") :].partition(">")[0]
    sides = [re.search(rf' {side}="([\d.]+)pt"', head) for side in ("width", "height")]
    width, height = (round(float(side[1]) * 4 / 3) if side else 0 for side in sides)
    return (width, height) if width and height else None


def figures(
    entries: Sequence[Mapping[str, Any]], drawings: Mapping[str, str], files: Mapping[str, Sequence[tuple[str, str]]]
) -> list[dict[str, Any]]:
    """Return the figures in the ledger's order.

    Parameters
    ----------
    entries : sequence of mapping
        Of the ledger.
    drawings : mapping
        SVG by figure name.
    files : mapping
        Kind and link of the files beside the page, by figure name.
    """
    return [
        {
            **{key: entry[key] for key in ("name", "paper", "title", "claims")},
            "caption": html(entry["caption"]),
            "alt": plain(entry["alt"]),
            "source": data_uri(drawings[entry["name"]]),
            "size": size(drawings[entry["name"]]),
            "files": files[entry["name"]],
        }
        for entry in entries
    ]


def undescribed(
    outputs: Collection[str], described: Collection[str], link: Callable[[str], str]
) -> list[dict[str, str]]:
    """Return the drawings of a run that the ledger does not describe. The page links them and does not show them."""
    return [
        {"name": PurePath(path).stem, "link": link(path)}
        for path in sorted(outputs)
        if PurePath(path).suffix == ".svg" and PurePath(path).stem not in described
    ]
