"""Numbers as people read them."""

import math
from collections.abc import Iterable
from typing import SupportsFloat

_WORDS = {2: "million", 3: "billion", 4: "trillion"}  # by powers of a thousand
DIGITS = 9  # significant ones, that the numbers in paper/ have; results/ keeps all


def number(value: object) -> float:
    """Return a number, also one that stands as text in JSON or CSV; anything else is NaN."""
    try:
        # Most are of the first kinds; whether one has a method of its own for it takes long to find out.
        return float(value) if isinstance(value, (str, float, int, SupportsFloat)) else math.nan
    except ValueError:
        return math.nan


def settled(value: float) -> float:
    """Return a number with the digits equal on every processor, which products have; whole ones stay.

    It is first rounded to a few digits more, so that a number halfway between two does not fall by its last
    bits.
    """
    if value.is_integer():
        return value + 0.0  # never -0.0
    # Rounded in two steps: bits that differ by processor are gone before the last digit is decided.
    return float(f"{float(f'{value:.{DIGITS + 3}g}'):.{DIGITS}g}")


def short(value: object, digits: int = 4) -> str:
    """Return a value with so many significant digits; whole numbers stay whole, other text is kept."""
    text = str(value).strip()
    figure = settled(number(text))
    if math.isnan(figure):
        return "not a number" if text.lower() == "nan" else text
    if math.isinf(figure):
        return "∞" if figure > 0 else "−∞"
    if figure == int(figure) and abs(figure) < 1e12:
        grouped = f"{int(figure):,}".replace(",", "\u202f") if abs(figure) >= 10_000 else str(int(figure))
        return grouped.replace("-", "−")
    mantissa, _, exponent = f"{figure:.{digits}g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", "−")


def interval(low: object, high: object) -> str:
    """Return an interval; one number when it has no width."""
    return short(low) if number(low) == number(high) else f"[{short(low)}, {short(high)}]"


def percent(share: float) -> str:
    """Return a share in per cent, with two significant digits or so."""
    if math.isnan(share):
        return "n/a"
    share = settled(share)
    if 0 < abs(share) < 0.00005:
        return "< 0.01 %" if share > 0 else "> −0.01 %"
    digits = 0 if abs(share) >= 0.1 or share == 0 else 1 if abs(share) >= 0.01 else 2
    return f"{100 * share:.{digits}f} %".replace("-", "−")


def factor(ratio: float) -> str:
    """Return by what factor one thing is larger than another, with two significant digits or so."""
    return short(round(ratio)) if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2g}"


def rounds(count: float) -> str:
    """Return a number of rounds; powers of ten in words, as exponents are small in print."""
    digits = f"{count:.0f}"
    if digits.strip("0") == "1" and (place := (len(digits) - 1) // 3) in _WORDS:
        return f"{count / 1000**place:.0f} {_WORDS[place]}"
    return short(count)


def duration(seconds: float) -> str:
    """Return a duration."""
    if math.isnan(seconds):
        return "n/a"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def grouped(count: int) -> str:
    """Return a whole number with thin spaces between its thousands."""
    return f"{count:,}".replace(",", "\u202f")


def in_weeks(counts: Iterable[int]) -> str:
    """Return how many weeks some states have, each so many.

    Examples
    --------
    >>> in_weeks([94, 94]), in_weeks([94, 72, 94])
    ('94 weeks', '72 to 94 weeks by state')
    """
    known = {*counts}
    least, most = min(known), max(known)
    return f"{least} weeks" if least == most else f"{least} to {most} weeks by state"


def level(mu: float) -> str:
    """Return a privacy level."""
    return "∞" if mu == math.inf else f"{mu:g}"


def with_interval(value: float, half_width: float, digits: int = 2) -> str:
    """Return ``value ± half_width``; only the value where its interval is no wider than rounding errors."""
    middle, wide = settled(value), settled(half_width)
    if half_width <= 1e-12 * abs(value):
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ± {wide:.{digits}f}"


def with_ends(value: float, low: float, high: float, digits: int) -> str:
    """Return ``value [low, high]``; only the value where all three are the same to so many digits."""
    middle, *ends = (f"{settled(end):.{digits}f}" for end in (value, low, high))
    return middle if set(ends) == {middle} else f"{middle} [{', '.join(ends)}]"
