"""Mutants of what draws in paper 000's algorithms, read from the table beside this module."""

import pkgutil
import re
from pathlib import Path

from tests.mutants.mutant import DRAWN_WRONGLY, Mutant, edited

CLAIM = "000/drawn-noise"
TEST = "tests/replication/papers/p000/test_noise_000.py::test_what_is_drawn_has_the_stated_law"
MUTANTS: dict[str, Mutant] = {}


def _add(place: str, old: str, mechanism: str, name: str, new: str, test: str = "") -> None:
    if new == "<each>":
        for wrong, words in DRAWN_WRONGLY.items():
            _add(place, old, mechanism, name.replace("<each>", wrong), words, test)
        return
    new = DRAWN_WRONGLY.get(new.strip("<>"), new)
    patch = edited(pkgutil.resolve_name(f"private_experts.{place}"), old, new)
    # a long node id begins a line after its file
    noticing = test.replace(":: ", "::") or f"{TEST}[{mechanism}]"
    assert f"000: {name}" not in MUTANTS
    MUTANTS[f"000: {name}"] = Mutant(patch, CLAIM, noticing, mechanism)


_TABLE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
for _place in re.split(r"\n(?=\S+:\S+ \| )", _TABLE)[1:]:  # the first part says what is what
    _lines = re.sub(r"\n {8}", " ", _place).strip().split("\n")  # a line that is indented so far goes on
    (_where, _words), *_rows = ([cell.strip() for cell in line.split("|")] for line in _lines)
    for _row in _rows:
        _add(_where, _words, *_row)
