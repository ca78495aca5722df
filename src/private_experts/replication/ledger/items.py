"""The inventory of the papers, from claims/items.yaml: each item, and the claims or tests about it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import read_yaml

NUMBERED = (
    *("Theorem", "Lemma", "Proposition", "Corollary", "Claim", "Remark"),
    *("Definition", "Assumption", "Algorithm", "Table", "Figure", "Equation"),
)
SENTENCES = ("Abstract", "Introduction")
PASSAGES = ("Section", "Appendix", "Conclusion")
DISPLAY = "Display"  # without a number

NAME = re.compile(
    rf"(?:{'|'.join(NUMBERED)}) [^\s,]+"
    r"|Equations (?P<part>(?:\w+\.)?)(?P<first>\d+) to (?P=part)(?P<last>\d+)"
    rf"|(?:{'|'.join(SENTENCES)}), sentence \d+"
    rf"|(?P<whole>{'|'.join([*PASSAGES, DISPLAY])})\b"
)


@dataclass(frozen=True)
class Item:
    """What one item of a paper says, in short; and what is about it, or the reason why nothing is."""

    paper: str
    item: str
    says: str
    claims: Sequence[str] = ()
    tests: Sequence[str] = ()  # file::function
    reason: str = ""

    @property
    def kind(self) -> str:
        """The kind of the item, by how its name begins."""
        word = re.split(r"\W", self.item)[0].removesuffix("s")
        return "sentence" if word in SENTENCES else "passage" if word in PASSAGES else word.lower()

    @property
    def labels(self) -> list[str]:
        """What it counts as: a range of equations as many, the parts of an item as one."""
        name = NAME.match(self.item)
        # The parts of an item, told apart after a comma, count once: papers number items and not their parts.
        assert name  # as `read` saw to
        if name["whole"]:
            return [self.item]
        if name["first"]:
            numbers = range(int(name["first"]), int(name["last"]) + 1)
            return [f"Equation {name['part']}{number}" for number in numbers]
        return [name[0]]


def read(path: Path) -> tuple[Item, ...]:
    """Return all items in the order of the papers; refuse an entry that is wrong, or there twice."""
    content = read_yaml(path)
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: write the items of each paper below its short name")
    items: dict[tuple[str, str], Item] = {}
    for paper, entries in content.items():
        for entry in entries or ():
            item = _item(path, str(paper), entry)
            if (item.paper, item.item) in items:
                where = f"{path}: {paper}, {item.item}"
                raise InputError(f"{where}: appears twice; tell its parts apart after a comma")
            items[item.paper, item.item] = item
    return tuple(items.values())


def _item(path: Path, paper: str, entry: Any) -> Item:
    """Return an entry as an item; a bad one is refused with its place in the paper."""
    if not isinstance(entry, Mapping):
        raise InputError(f"{path}: {paper}: {entry!r} is no item; write its name after `item:`")
    where = f"{path}: {paper}, {entry.get('item', entry.get('says'))}"
    for key in ("item", "says", *entry):
        value = entry.get(key)
        if key in ("claims", "tests"):
            if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
                raise InputError(f"{where}: `{key}:` is no list of names; write [name, name] or leave it out")
        elif key not in ("item", "says", "reason"):
            raise InputError(f"{where}: unknown key {key}; leave it out")
        elif not isinstance(value, str) or not value.strip():
            raise InputError(f"{where}: `{key}:` has no text; write a few words")
    # Exactly one: an item with claims needs no excuse, and one without needs a reason.
    if ("reason" in entry) == ("claims" in entry or "tests" in entry):
        raise InputError(f"{where}: give `claims:` or `tests:`, and `reason:` only where there are none")
    if not NAME.match(entry["item"]):
        kinds = ", ".join(NUMBERED)
        raise InputError(f"{where}: is no kind of item; begin with {kinds}, Display, Abstract or Section")
    return Item(paper, **entry)
