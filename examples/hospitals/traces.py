"""A search for true values in the bytes that the coordinator received, and in its database.

It knows the truth, so it can look for it: as decimals of seven digits or more (also as percentages or with an
exponent), as counts of patients, as binary, hexadecimal and base64 floating-point numbers, and as the difference of
two numbers that one sender sent, so that noise which travels along is found too. Besides, it tells noise of a wrong
size, noise that was used before, and a figure that was released twice.

It cannot find what is hidden well: an encrypted value, noise from a generator whose seed the coordinator knows, a hint
of a few bits, or the time at which something is sent. For that the hospital's code has to be read; it is short.
"""

import base64
import itertools
import math
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, poisson

from private_experts.arrays import Array

FALSE_ALARM = 1e-6
"""How often `wrong_noise` refuses noise that is right for its size, or for that of its differences."""

CHANCE_AGAIN = 1e-4
"""The most often that `wrong_noise` takes noise for used again when two draws are alike by chance."""

_ALIKE = 2.0**-29  # the same noise on two figures, each rounded to the grid of 2^-30, differs by 2^-30 at most

_NUMBER = re.compile(rb"\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+")
_RELATIVE = 1e-8  # a value on the grid of secure noise is within 2^-31 of the true one
_ABSOLUTE = 2e-9
_FEWEST_DIGITS = 7
_POST = re.compile(rb"POST /reports .*?Bearer (\S+).*?\r\n\r\n(\{.*?\})", re.DOTALL)
_WEEK, _VALUE = re.compile(rb'"week": *(\d+)'), re.compile(rb'"value": *([^,} ]+)')


@dataclass(frozen=True)
class Truth:
    """A true figure that must not be found; with a million patients or more a chance hit is rare."""

    hospital: str
    week: int
    patients: int
    beds: int

    @property
    def gain(self) -> float:
        """The true density."""
        return self.patients / self.beds


def traces(data: bytes, truths: Sequence[Truth]) -> list[str]:
    """Return where true values stand in what one connection carried, or in a file, one line for each find."""
    numbers = {match.group() for match in _NUMBER.finditer(data)}
    written = [(token, *_mantissa(token)) for token in numbers]
    values = sorted({float(token) for token in numbers if _digits(token) >= _FEWEST_DIGITS})
    found = []
    for truth in truths:
        where = f"{truth.hospital}, week {truth.week}"
        for quantity in (truth.gain, 1 - truth.gain, float(truth.patients)):
            for token, mantissa, digits in written:
                if digits >= _FEWEST_DIGITS and _same(mantissa, digits, quantity):
                    found.append(f"{where}: as the number {token.decode()}")
        found += [f"{where}: as {how}" for how, code in _codes(truth) if code in data]
        for one, other in itertools.combinations(values, 2):
            if min(abs(abs(one - other) - truth.gain), abs(one + other - truth.gain)) < _ABSOLUTE:
                found.append(f"{where}: as the sum or difference of {one!r} and {other!r}")
    return found


def wrong_noise(values: Iterable[float], truths: Iterable[Truth], scales: Iterable[float]) -> str | None:
    """Return what is wrong with the noise of all weeks of one hospital, then of the next; None when nothing is seen.

    The squares of Gaussian noise, in units of its scale, sum to a chi-squared variable. True values, even rounded ones,
    give nearly 0. So do the differences of one report's noise and the next one's, in units of sqrt(2) scales, when the
    noise hardly changes. Noise that is used again, on whichever figure and with either sign, is seen by two residuals
    that are alike. Among many residuals some are alike by chance, and only more than that are refused.

    How fine the test of the size is depends on the number of reports: among 32, noise of 0.46 to 1.65 times the scale
    can pass, and among 4000, of 0.94 to 1.06 times.
    """
    noise = np.array([value - truth.gain for value, truth in zip(values, truths, strict=True)])
    sizes = np.array([*scales])
    unit = noise / sizes
    pairs = unit[: unit.size // 2 * 2].reshape(-1, 2)  # no report is in two of them, so that they are independent
    for what, drawn in (("noise", unit), ("change of noise", np.diff(pairs).ravel() / math.sqrt(2))):
        low, high = chi2(drawn.size).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
        total = float(np.sum(drawn**2))
        if not low <= total <= high:
            return f"squared {what} {total:.3g} is not within {low:.3g} to {high:.3g}"
    if said := _used_again(noise, sizes, _ALIKE):
        return said
    # The same draws may have been given to hospitals with other scales.
    return _used_again(unit, np.ones_like(sizes), _ALIKE / sizes.min()) if np.ptp(sizes) > 0 else None


def _used_again(noise: Array, sizes: Array, near: float) -> str | None:
    """Return how often noise of these scales is too near to other noise, or to its negative, for chance."""
    alike = int(np.sum(np.diff(np.sort(np.abs(noise))) <= near))
    # By chance: the density of a difference at 0 is 1 / sqrt(2 pi (a^2 + b^2)), where a and b are the scales of both.
    kinds, counts = np.unique(sizes, return_counts=True)
    together = np.outer(counts, counts) - np.diag(counts)  # ordered pairs of two kinds
    densities = 1 / np.sqrt(2 * math.pi * np.add.outer(kinds**2, kinds**2))
    by_chance = float((together / 2 * densities).sum()) * 4 * near
    return f"noise was used again in {alike} reports" if alike > poisson.ppf(1 - CHANCE_AGAIN, by_chance) else None


def released_twice(connections: Iterable[bytes]) -> list[str]:
    """Return which reports were sent with more than one value: from several draws the noise averages out."""
    sent: Mapping[tuple[bytes, bytes], set[bytes]] = defaultdict(set)
    for data in connections:
        for token, body in _POST.findall(bytes(data)):
            week, value = _WEEK.search(body), _VALUE.search(body)
            if week and value:
                sent[token, week.group(1)].add(value.group(1))
    return [
        f"week {week.decode()}: one hospital sent {len(values)} values"
        for (_, week), values in sent.items()
        if len(values) > 1
    ]


def _digits(token: bytes) -> int:
    return len(_significant(token))


def _significant(token: bytes) -> bytes:
    return re.split(rb"[eE]", token)[0].replace(b".", b"").lstrip(b"0")


def _mantissa(token: bytes) -> tuple[float, int]:
    """Return a number's leading digits as a number from 1 to 10, and how many digits it has."""
    digits = _significant(token)
    return (float(digits[:1] + b"." + digits[1:20]), len(digits)) if digits else (0.0, 0)


def _same(mantissa: float, digits: int, quantity: float) -> bool:
    """Tell whether a written number has the digits of a quantity, wherever its point stands."""
    if quantity <= 0:
        return False
    other = quantity / math.pow(10, math.floor(math.log10(quantity)))
    return abs(mantissa - other) <= max(0.51 * math.pow(10, 1 - digits), _RELATIVE * other)


def _codes(truth: Truth) -> Iterable[tuple[str, bytes]]:
    gain = truth.gain
    yield "a hexadecimal float", gain.hex().encode().removeprefix(b"0x")
    for name, number in (("density", gain), ("number of patients", float(truth.patients))):
        for form in ("<d", ">d", "<f", ">f"):
            code = struct.pack(form, number)
            yield f"the bytes of the {name}", code
            yield f"the bytes of the {name} in hexadecimal digits", code.hex().encode()
            yield f"the bytes of the {name} in base64", base64.b64encode(code).rstrip(b"=")
    for order in ("big", "little"):
        yield "the bytes of the number of patients", truth.patients.to_bytes(4, order)
