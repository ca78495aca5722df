"""What a hospital and the coordinator agree on before anything is drawn, each in a file of its own.

The terms of a hospital are what its noise depends on. Hospital and coordinator compute them independently,
from their own files, and compare them. So neither can talk the other into less noise.
"""

import json
import math
import re
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, own_scales
from private_experts.privacy.guarantees import of_simulated_noise

SETTING = "setting.json"

MOVED = 2
"""One person moves the figures of two hospitals: the one where they were a patient, and another one."""

UNITS: dict[str, Callable[[int], float]] = {
    "patients per bed": lambda beds: 1 / beds,
    "patients": lambda beds: 1.0,
}
"""Each unit of figures, with how far one person moves the figure of a hospital with so many beds."""

_SMALLEST_SCALE, _LARGEST_SCALE = 1e-6, 1e6  # which suit the grid of secure noise, 2^-30


@dataclass(frozen=True)
class Terms:
    """What the noise of one hospital depends on."""

    level: float  # mu of all reports of a week together
    unit: str
    bounds: tuple[float, float]  # of figures, in their unit; public
    sensitivity: float  # how far one person moves the hospital's figure, in its unit
    noise: str  # "secure", or "simulated", which protects nobody

    @property
    def guarantee(self) -> GaussianDP:
        """What a week's reports promise to one person."""
        exact = GaussianDP(self.level, "local")
        return exact if self.noise == "secure" else of_simulated_noise(exact)

    @property
    def scale(self) -> float:
        """The standard deviation of the hospital's noise, where the bounds are 0 and 1."""
        low, high = self.bounds
        return float(own_scales(np.array([self.sensitivity / (high - low)]), self.guarantee, MOVED)[0])

    def facts(self) -> dict[str, Any]:
        """Return the terms as they are sent."""
        return asdict(self) | {"bounds": list(self.bounds)}

    def differences(self, other: object) -> str:
        """Return in what other terms, as received, differ from these; the empty string if in nothing."""
        own, theirs = self.facts(), other if isinstance(other, dict) else {}
        differing = [
            f"{name} is {own[name]!r} here and {printable(theirs.get(name))} there"
            for name in own
            if json.dumps(own[name]) != json.dumps(theirs.get(name))
        ]
        unknown = [f"{printable(name)} is not known here" for name in theirs if name not in own]
        return "; ".join(differing + unknown)


def read_terms(path: Path, facts: dict[str, Any], beds: object) -> Terms:
    """Return a hospital's terms with so many beds, from a setting's contents; refuse what is out of range."""
    whole_number(path, "beds", beds, 1)
    level, unit, bounds = number(path, "level", facts["level"]), facts["unit"], facts["bounds"]
    if unit not in UNITS:
        raise InputError(f"{path}: unit = {unit!r}: write one of {', '.join(map(repr, UNITS))}")
    if not isinstance(bounds, list) or len(bounds) != 2:
        raise InputError(
            f"{path}: bounds = {bounds!r}: write the least and the largest figure, such as [0, 1]"
        )
    low, high = (number(path, "bounds", bound, -math.inf) for bound in bounds)
    if not low < high:
        raise InputError(f"{path}: bounds = {bounds!r}: write the smaller one first")
    noise = facts.get("noise", "secure")
    if noise not in ("secure", "simulated"):
        raise InputError(f"{path}: noise = {noise!r}: leave it out for secure noise, or write simulated")
    terms = Terms(level, unit, (low, high), UNITS[unit](int(str(beds))), noise)
    if not _SMALLEST_SCALE <= terms.scale <= _LARGEST_SCALE:
        raise InputError(
            f"{path}: level = {level:g}: needs noise of standard deviation {terms.scale:.2g}, which cannot "
            f"be drawn; write a level for {_SMALLEST_SCALE:g} to {_LARGEST_SCALE:g}"
        )
    return terms


def read_setting(
    folder: Path, required: Collection[str], optional: Collection[str]
) -> tuple[Path, dict[str, Any]]:
    """Read the JSON object of a setting, with all the keys that are required and no unknown one."""
    path = folder / SETTING
    try:
        facts = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=each_key_once)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; examples/hospitals/README.md shows one") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: is not valid JSON ({error}); examples/hospitals/README.md shows what to write"
        ) from error
    names = facts.keys() if isinstance(facts, dict) else set()
    missing, unknown = sorted(set(required) - names), sorted(names - set(required) - set(optional))
    if missing or unknown:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has {printable(', '.join(unknown))}"
        raise InputError(
            f"{path}: {wrong}; the keys are {', '.join(required)}, and perhaps {', '.join(optional)}"
        )
    return path, facts


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; `json` itself would take the last of two values of a key."""
    facts: dict[str, Any] = {}
    for key, value in pairs:
        if key in facts:
            raise ValueError(f"key {printable(key)} appears twice; keep one of them")
        facts[key] = value
    return facts


def checked_name(path: Path, name: object) -> str:
    """Return the name of a hospital, which stands in files, on the page and in logs."""
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]{6,30}", name, re.ASCII):
        raise InputError(
            f"{path}: hospital {name!r}: write its hospital_pk, such as 320001, of six digits or more"
        )
    return name


def number(path: Path, name: str, value: object, above: float = 0.0) -> float:
    """Return a finite number above a bound, or refuse what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not above < value < math.inf:
        wanted = "a positive number" if above == 0 else "a finite number"
        raise InputError(f"{path}: {name} = {value!r}: write {wanted}")
    return float(value)


def whole_number(path: Path, name: str, value: object, least: int) -> int:
    """Return a whole number, or refuse what is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
        raise InputError(f"{path}: {name} = {value!r}: write a whole number of at least {least}")
    return value


def printable(text: object) -> str:
    """Return what somebody else sent as any log can show it: short, in ASCII, without control characters."""
    return "".join(sign if " " <= sign <= "~" else "?" for sign in str(text)[:200])
