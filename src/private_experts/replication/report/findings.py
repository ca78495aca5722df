"""The summary of the project: its words are in findings.yaml, its numbers are a run's.

README begins with it, and so do the page and the PDF.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from private_experts.replication.plotting.latex import escaped, traced
from private_experts.replication.records import read_rows
from private_experts.replication.study.own_counts.own_counts_elsewhere import OWN_LEADS
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE
from private_experts.replication.study.statements import BEST, NEGATIVE_REGRET, elsewhere

Rows = Sequence[Mapping[str, Any]]
WORDS = Path(__file__).with_suffix(".yaml")
LIMIT = "What limits it:"
PICTURE = "figure-2-cell"
ALT = "Gain so far against weeks, of the planner, its rivals and the best hospital"
ABSENT = "–"  # a number of a table that a config does not make


class Finding(NamedTuple):
    """What was found, and the one sentence that limits it."""

    title: str
    found: str
    limit: str
    document: str  # where all of it stands, with its numbers
    place: str  # where the page has it


class Findings(NamedTuple):
    """What is played, what was found, what is wrong with the data, and what the picture shows."""

    played: str
    findings: Sequence[Finding]
    data: str
    picture: str


def filled(tables: Path) -> Findings:
    """Return the summary with the numbers of a run's tables."""
    found = {name: number for name, (number, _) in found_numbers(tables).items()}
    return _written(lambda text: text.format_map(found))


def _written(write: Callable[[str], str]) -> Findings:
    """Return the summary with each of its texts written in this way."""
    import yaml

    words = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    of_each = [
        Finding(**{name: write(text) for name, text in entry.items()}) for entry in words.pop("findings")
    ]
    return Findings(findings=of_each, **{name: write(text) for name, text in words.items()})


def kinds_of_learners(readings: Rows, answers: Rows) -> dict[str, Mapping[str, Any]]:
    """Return in how many settings the planner leads, by each kind of learners that the printed table allows.

    Each kind plays the settings by which it comes closest to that table. None of these kinds stands alone.
    """
    admissible = [row["what"] for row in readings if row["family"] and may_be_closest(row)]
    counts = {
        row["kind"]: row for row in answers if row["floor"] == ADMISSIBLE and row["statement"] == BEST.name
    }
    return {kind: counts[kind] for kind in admissible if kind in counts}


def may_be_closest(row: Mapping[str, Any]) -> bool:
    """Tell whether a kind of learners with the printed floor may score as well as the best one."""
    return bool(row["floor"] == ADMISSIBLE and float(row["less_best_low"]) <= 0)


def _of_readings(readings: Rows, answers: Rows) -> dict[str, str]:
    kinds = [*kinds_of_learners(readings, answers).values()]
    if not kinds:
        return {}
    total = sum(int(kinds[0][count]) for count in ("agrees", "differs", "undecided"))
    behind = max(int(row["differs"]) for row in kinds)
    return {
        "settings_clearly_ahead": share(min(int(row["agrees"]) for row in kinds), total, "setting"),
        "settings_behind": "at most one setting" if behind == 1 else share(behind, total, "setting"),
    }


def _of_games(played: Rows) -> dict[str, str]:
    ratios = [
        float(row["rw_meta"]) / max(float(row[rival]) for rival in ("min_noise", "min_regret", "rw_ftpl"))
        for row in played
    ]
    above = sum(float(row["rw_meta"]) > float(row["best_hospital"]) for row in played)
    return {
        "times": f"{min(ratios):.2f} to {max(ratios):.2f}",
        "weeks": str(max(int(row["weeks"]) for row in played)),
        "picture_ahead": share(sum(float(row["lead"]) > 0 for row in played), len(played), "setting"),
        "picture_above_hospital": share(above, len(played), "setting"),
    }


def _of_states(rows: Rows) -> dict[str, str]:
    states = elsewhere(rows)
    without = states["states"] - states["agrees"]
    # At the strongest privacy that the statement speaks of.
    rows_of_statement = [
        row for row in rows if row["statement"] == NEGATIVE_REGRET.words and float(row["mu"]) < math.inf
    ]
    above = min(rows_of_statement, key=lambda row: float(row["mu"]), default={})
    return {
        "states_without_lead": share(without, states["states"], "state"),
        "states_behind": share(states["differs"], states["states"], "state"),
        "picture_elsewhere": share(int(above["agrees"]), states["states"], "state") if above else ABSENT,
        "picture_behind": share(int(above["differs"]), states["states"], "state") if above else ABSENT,
    }


def _of_own_counts(rows: Rows) -> dict[str, str]:
    private = [row for row in rows if math.isfinite(float(row["mu"]))]
    if not private:
        return {}
    leads = [(float(row["gain_rw_meta"]), float(row["gain_rw_meta_pm"])) for row in private]
    return {
        "own_more": share(sum(lead > width for lead, width in leads), len(leads), "setting"),
        "own_less": share(sum(lead < -width for lead, width in leads), len(leads), "setting"),
    }


def _of_own_counts_elsewhere(rows: Rows) -> dict[str, str]:
    private = [row for row in rows if math.isfinite(float(row["mu"]))]
    less = {row["state"] for row in private if float(row[OWN_LEADS]) < -float(row[f"{OWN_LEADS} pm"])}
    states = {row["state"] for row in private}
    words = "one state" if len(less) == 1 < len(states) else share(len(less), len(states), "state")
    return {"own_less_elsewhere": words} if private else {}


# The numbers of the summary, and from which tables each is: what makes it gets no other.
_NUMBERS: Sequence[tuple[Sequence[str], Sequence[str], Callable[..., dict[str, str]]]] = (
    (("settings_clearly_ahead", "settings_behind"), ("readings", "readings-statements"), _of_readings),
    (("times", "weeks", "picture_ahead", "picture_above_hospital"), ("table-2",), _of_games),
    (
        ("states_without_lead", "states_behind", "picture_elsewhere", "picture_behind"),
        ("generality-statements",),
        _of_states,
    ),
    (("own_more", "own_less"), ("own-counts",), _of_own_counts),
    (("own_less_elsewhere",), ("own-counts-elsewhere",), _of_own_counts_elsewhere),
)


def found_numbers(tables: Path) -> dict[str, tuple[str, Sequence[str]]]:
    """Return by name what stands in the words of the summary, and the tables that it is from."""
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for names, sources, made in _NUMBERS:
        paths = [tables / f"{name}.csv" for name in sources]
        first, *others = [read_rows(path) if path.is_file() else [] for path in paths]
        numbers = made(first, *others) if first else {}
        found |= {name: (numbers.get(name, ABSENT), sources) for name in names}
    return found


def share(count: int, total: int, what: str) -> str:
    """Return in words how many of all that is: every, all but one, most (more than half), some, or none.

    >>> share(12, 12, "setting"), share(11, 12, "setting"), share(7, 12, "setting")
    ('every setting', 'all settings but one', 'most settings')
    >>> share(6, 12, "setting"), share(0, 12, "setting")
    ('some settings', 'no setting')
    """
    if count in (0, total):
        return f"{'every' if count else 'no'} {what}"
    if 2 < total == count + 1:
        return f"all {what}s but one"
    return f"{'most' if 2 * count > total else 'some'} {what}s"


def markdown(summary: Findings) -> str:
    """Return what README begins with: what was found, a picture, and what is wrong with the data."""
    lines = [
        f"- **{finding.title}** {finding.found} *{LIMIT}* {finding.limit} ([more]({finding.document}))"
        for finding in summary.findings
    ]
    picture = f"![{ALT}](docs/pictures/{PICTURE}.png)"
    return "\n".join([summary.played, "", *lines, "", picture, "", f"*{summary.picture}*", "", summary.data])


def latex(tables: Path) -> str:
    """Return the abstract of the PDF, each of whose numbers leads to where it is from."""
    found = found_numbers(tables)

    def write(text: str) -> str:
        return "".join(
            escaped(words) + (traced(found[name][1], escaped(found[name][0])) if name else "")
            for words, name, *_ in Formatter().parse(text)
        )

    summary = _written(write)
    items = [rf"\textbf{{{found.title}}} {found.found} {found.limit}" for found in summary.findings]
    return "\n".join([summary.played, *items, summary.data, ""])
