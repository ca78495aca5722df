"""What everybody knows and has agreed on beforehand: the hospitals, their beds, the privacy level, the weeks.

Each house keeps a copy of its own. So the coordinator cannot talk a hospital into less noise.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, own_level, own_scales

FILE = "setting.json"

VERSION = 1
"""Of what a deployment promises, and how: it rises when the same words come to mean another noise."""

ADJACENCY = "move"
MOVED = 2
"""Neighbours: a person lies in another hospital, so that two densities change."""

RULE = "own"
"""How noise follows from the level: each hospital adds what its own beds need. [mathematics/000.md#own-counts]"""

_MOST_BEDS = 10**9
_MOST_NOISE = 1e6  # standard deviation; more, or less than 1 / that, does not suit the grid of 2^-30


@dataclass(frozen=True)
class Setting:
    """The public facts of a deployment; what is of the wrong kind or out of range is refused."""

    beds: Mapping[str, int]
    mu: float  # privacy level of a week's reports
    weeks: int
    seed: int  # of RW-Meta's extra noise, which protects nothing
    shortest: float  # seconds that a week stays open for reports at least
    longest: float  # and at most, while a report is missing

    def __post_init__(self) -> None:
        beds = self.beds
        right = isinstance(beds, dict) and len(beds) >= 2
        if not right or not all(_whole(count, 1) and count <= _MOST_BEDS for count in beds.values()):
            raise InputError(
                f"{FILE}: beds: write the beds of two or more hospitals, such as {{'H01': 120, 'H02': 80}}"
            )
        for name in beds:  # of folders too, and seen on the page, in metrics and in logs
            if not name.isprintable() or set(name) & set("/\\") or name.strip() in ("", ".", ".."):
                raise InputError(f"{FILE}: beds: {name!r}: write a name of printable signs without / or \\")
        for name, least in (("weeks", 1), ("seed", 0)):
            if not _whole(getattr(self, name), least):
                raise InputError(f"{FILE}: {name} = {getattr(self, name)!r}: write a whole number of at least {least}")
        for name in ("mu", "shortest", "longest"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InputError(f"{FILE}: {name} = {value!r}: write a positive number")
        if self.shortest > self.longest:
            raise InputError(f"{FILE}: shortest = {self.shortest} is more than longest = {self.longest}: write less")
        fewest, most = min(beds.values()), max(beds.values())  # they have the largest and the smallest noise
        low, high = math.sqrt(MOVED) / fewest / _MOST_NOISE, math.sqrt(MOVED) / most * _MOST_NOISE
        if not low <= self.mu <= high:
            raise InputError(f"{FILE}: mu = {self.mu!r}: write {low:.2g} to {high:.2g}, for noise that can be drawn")

    @property
    def hospitals(self) -> list[str]:
        """The names of the hospitals, in the order of the experts."""
        return sorted(self.beds)

    @property
    def guarantee(self) -> GaussianDP:
        """What a week's reports promise to one person."""
        return GaussianDP(float(self.mu), "local")

    @property
    def sensitivity(self) -> float:
        """How far one person can move a week's gains, in L2, by lying in another hospital: two densities change."""
        return math.sqrt(2) / min(self.beds.values())

    def reach(self, hospital: str) -> float:
        """How far one person can move the density of a hospital."""
        return 1 / self.beds[hospital]

    def scale(self, hospital: str) -> float:
        """Return the noise that a hospital adds, for its own beds, as a standard deviation."""
        return float(own_scales(np.array([self.reach(hospital)]), self.guarantee, MOVED)[0])

    @property
    def scales(self) -> Array:
        """The scale of each hospital, in the order of the experts."""
        return np.array([self.scale(hospital) for hospital in self.hospitals])

    def level(self, twice: str | None = None) -> float:
        """Return the level of a week's reports, computed from their noise and from what one person moves.

        Two draws of the hospital `twice` are as good as one with noise smaller by a factor of sqrt(2).
        """
        draws = [2 if hospital == twice else 1 for hospital in self.hospitals]
        reach = [self.reach(hospital) for hospital in self.hospitals]
        return float(own_level(reach, self.scales / np.sqrt(draws), MOVED))

    def promise(self) -> dict[str, Any]:
        """Return what each week is announced with: all that a hospital's noise, and what it is good for, depend on."""
        beds = json.dumps(dict(self.beds), sort_keys=True)
        return {
            "version": VERSION,
            "level": float(self.mu),
            "adjacency": ADJACENCY,
            "rule": RULE,
            "sensitivity": self.sensitivity,
            "beds": hashlib.sha256(beds.encode()).hexdigest(),
        }

    def text(self) -> str:
        """Return the setting as JSON, the same text for the same facts."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"


def read_setting(folder: Path) -> Setting:
    """Read the copy of the setting in a folder."""
    path = folder / FILE
    try:
        facts = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; python -m examples.hospitals start makes it") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON ({error}); write it anew with start, in another folder") from error
    names = {field.name for field in fields(Setting)}
    if not isinstance(facts, dict) or facts.keys() != names:
        raise InputError(f"{path}: must have exactly the keys {', '.join(sorted(names))}")
    return Setting(**facts)


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
