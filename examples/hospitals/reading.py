"""What a report must look like, and the refusals of what does not."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from examples.hospitals.setting import Setting

FAR = 10.0
"""Further than this many standard deviations from [0, 1] no honest report ever lies: one chance in 10^22."""

_FIELDS = {"week", "value", "scale"}


class RefusedError(Exception):
    """A report is refused, with an HTTP status and a sentence that says what to send instead."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True)
class Report:
    """A hospital's noisy report of one week."""

    week: int
    value: float


def grid(scale: float) -> int:
    """Return the power of 2 by which a value of secure noise is a whole number; one between was not made by it."""
    return max(30, 21 - math.frexp(scale)[1])


def read_report(body: bytes, setting: Setting, hospital: str) -> Report:
    """Read the body of a hospital's report, such as ``{"week": 3, "value": 0.25, "scale": 0.02}``.

    What is no JSON object is refused with 400, and wrong fields or numbers with 422.
    """
    fields = _fields(body, '{"week": 1, "value": 0.25, "scale": 0.02}')
    if fields.keys() != _FIELDS:
        raise RefusedError(422, "The report must have the fields week, value and scale and no other.")
    week, value, scale = fields["week"], _number(fields, "value"), _number(fields, "scale")
    if isinstance(week, bool) or not isinstance(week, int) or not 1 <= week <= setting.weeks:
        raise RefusedError(422, f"The week must be a whole number from 1 to {setting.weeks}.")
    agreed = setting.scale(hospital)
    if not math.isclose(scale, agreed, rel_tol=1e-9):
        raise RefusedError(422, f"The scale must be {agreed!r}, the noise that was agreed on.")
    if abs(value - 0.5) > 0.5 + FAR * agreed:
        raise RefusedError(422, f"The value must lie within {FAR:g} scales of the range from 0 to 1.")
    if not math.ldexp(value, grid(agreed)).is_integer():
        raise RefusedError(422, f"The value was not made by secure noise: it must be a multiple of 2^-{grid(agreed)}.")
    return Report(week, value)


def read_week(body: bytes) -> int:
    """Read the body ``{"week": 3}``."""
    fields = _fields(body, '{"week": 1}')
    if fields.keys() != {"week"} or type(fields["week"]) is not int:
        raise RefusedError(422, "There must be the field week, a whole number, and no other.")
    return int(fields["week"])


def read_mark(body: bytes) -> tuple[int, str]:
    """Read the body ``{"week": 3, "mark": "..."}``; a mark has 24 letters."""
    fields = _fields(body, '{"week": 1, "mark": "..."}')
    if fields.keys() != {"week", "mark"} or type(fields["week"]) is not int or type(fields["mark"]) is not str:
        raise RefusedError(422, "There must be the fields week, a whole number, and mark, and no other.")
    if not re.fullmatch("[a-z]{24}", fields["mark"]):
        raise RefusedError(422, "The mark must have 24 small letters, chosen at random.")
    return fields["week"], fields["mark"]


def _fields(body: bytes, such_as: str) -> dict[str, Any]:
    try:
        fields = json.loads(body.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        raise RefusedError(400, f"The body is not JSON: send {such_as}.") from None
    if not isinstance(fields, dict):
        raise RefusedError(400, f"The body is no JSON object: send {such_as}.")
    return fields


def _number(fields: dict[str, Any], name: str) -> float:
    value = fields[name]
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number beyond all floats
        pass
    raise RefusedError(422, f"The {name} must be a finite number.")


def _no_number(name: str) -> float:
    raise ValueError(name)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name stands twice")
    return fields
