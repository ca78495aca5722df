"""The smallest defect that the check of each claim catches, as claims/power.csv has it. [verdicts.md#power]

`make power` measures it (tests/power). Each row names the commit at which it was measured.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import require_file
from private_experts.replication.plotting.numbers import number
from private_experts.replication.records import read_rows

Row = Mapping[str, str]

# The bound's factor, the noise's by who hears of it (less, more), what became of the check without single steps of the
# library (how many were left out, noticed, led to a crash or to no end, changed nothing; which passed), how many of its
# own mutants, and when.
NOISE = ("drawn_less", "drawn_more", "calibrated_less", "calibrated_more")
UNMEASURED = "not measured"  # instead of the bound's factor: nothing was, apart from the mutants of its own
TWICE, TINY = 2.0, 0.01  # from here on and below a factor is told as such
UNCAUGHT = ", but not "  # before the first step that passed
STEPS = ("steps", "noticed", "crashed", "endless", "unchanged", "passed")
LARGEST = 1 << 24  # bytes of the table
AGAIN = "run make power"
COLUMNS = ("claim", "bound", *NOISE, *STEPS, "own", "commit")


def read(path: Path) -> dict[str, Row]:
    """Return the rows of the table by claim; refuse a table that cannot be read, lacks a column, or has one twice."""
    require_file(path, LARGEST, AGAIN)
    rows = read_rows(path, COLUMNS, AGAIN)
    found: dict[str, Row] = {row["claim"]: row for row in rows}
    if len(found) < len(rows):
        twice = next(row["claim"] for row in rows if found[row["claim"]] is not row)
        raise InputError(f"{path}: the claim {twice} appears twice; {AGAIN}")
    return found


def totals(rows: Iterable[Row]) -> dict[str, int]:
    """Return what became of all steps that were left out, and of how many claims, by what is counted.

    Examples
    --------
    >>> steps = {"steps": "9", "noticed": "4", "crashed": "2", "endless": "0", "unchanged": "2"}
    >>> idle = {"steps": "1", "unchanged": "1"}
    >>> found = totals(dict.fromkeys(COLUMNS, "") | each for each in (steps, idle))
    >>> found["steps that do something"], found["of these passed"], found["claims with a step that does something"]
    (7, 1, 1)
    """
    counts = [{name: int(row[name] or 0) for name in STEPS[:-1]} for row in rows]
    summed = {name: sum(count[name] for count in counts) for name in STEPS[:-1]}
    doing = summed["steps"] - summed["unchanged"]
    caught = sum(summed[name] for name in STEPS[1:4])
    return {
        "claims and steps": len(counts),
        "claims with a step that does something": sum(count["steps"] > count["unchanged"] for count in counts),
        "claims that notice a step": sum(count["noticed"] > 0 for count in counts),
        "steps left out": summed["steps"],
        "steps that do something": doing,
        **{f"of these {name}": summed[name] for name in STEPS[1:4]},
        "of these passed": doing - caught,
    }


def words(row: Row | None) -> str:
    """Return the smallest defects in words; nothing where none was measured.

    Examples
    --------
    >>> noise = {"drawn_less": "0.9", "calibrated_less": "0.95"}
    >>> words(dict.fromkeys(COLUMNS, "") | noise | {"bound": "0.971", "own": "3"})
    'noise 10 % too small or made for a level 5.3 % too high, a bound 2.9 % smaller, 3 mutants of its own'
    >>> steps = {"steps": "9", "noticed": "4", "crashed": "2", "unchanged": "2", "passed": "walks/gap.py:gap:9 x += 1"}
    >>> words(dict.fromkeys(COLUMNS, "") | steps)
    '6 of 7 steps left out (2 by a crash), but not walks/gap.py:gap:9'
    >>> words(dict.fromkeys(COLUMNS, "") | {"bound": "0.001"})
    'a bound 1000 times smaller'
    >>> words(None)
    ''
    """
    if row is None:
        return ""
    said, missed = [], []
    for drawn, calibrated in (NOISE[0::2], NOISE[1::2]):
        scaled, made = number(row[drawn]), number(row[calibrated])
        kinds = [_off(scaled, "too small", "too large")] if scaled > 0 else []
        kinds += [f"made for a level {_off(1 / made, 'too low', 'too high')}"] if made > 0 else []
        if kinds:
            said.append(f"noise {' or '.join(kinds)}")
    if not said and "none" in (row[name] for name in NOISE):
        missed.append("not noise of half or twice its size")
    if row["bound"] == UNMEASURED:
        missed.append("noise and bound not measured")
    bound = number(row["bound"])
    if bound > 0:  # above 1 when the claim fails
        said.append(f"a bound {_off(bound, 'smaller', 'larger')}" if bound != 1 else "any smaller bound")
    said += _left_out(row)
    own = int(row["own"] or 0)
    return ", ".join([*said, *([f"{own} mutant{'s' * (own > 1)} of its own"] if own else []), *missed])


def _off(factor: float, less: str, more: str) -> str:
    """Return in per cent how far a factor is from 1, and in which direction; the factor itself where it is far away."""
    if factor >= TWICE:
        return f"{factor:.4g} times as large"
    if factor < TINY:
        return f"{1 / factor:.4g} times {less}"
    return f"{100 * abs(factor - 1):.2g} % {less if factor < 1 else more}"


def _left_out(row: Row) -> list[str]:
    """Return how many steps that do something were missed, and the first that was not."""
    steps, noticed, crashed, endless, unchanged = (int(row[name] or 0) for name in STEPS[:-1])
    if steps == unchanged:
        return []
    ends = {"by a crash": crashed, "by not ending": endless}
    other = ", ".join(f"{many} {how}" for how, many in ends.items() if many)
    said = f"{noticed + crashed + endless} of {steps - unchanged} steps left out" + f" ({other})" * bool(other)
    return [said + (f"{UNCAUGHT}{row['passed'].split()[0]}" if row["passed"] else "")]
