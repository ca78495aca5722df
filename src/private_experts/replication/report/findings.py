"""The summary of the project: its words are in findings.yaml, its numbers are a run's.

README begins with it, and so do the page and the PDF.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from private_experts.replication.plotting.latex import escaped
from private_experts.replication.records import read_rows
from private_experts.replication.study import published
from private_experts.replication.study.statements import elsewhere

Rows = Sequence[Mapping[str, Any]]
WORDS = Path(__file__).with_suffix(".yaml")
LIMIT = "What limits it:"
PICTURE = "figure-2-cell"
ALT = "Gain so far against weeks, of the planner, its rivals and the best hospital"
ABSENT = "–"  # a number of a table that a config does not make
EMPTY = dict.fromkeys(
    (
        *("settings_ahead", "settings_clearly_ahead", "times", "states_without_lead"),
        *("own_more", "own_less", "weeks", "of"),
    ),
    ABSENT,
)


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
    import yaml

    numbers = found_numbers(
        {
            name: read_rows(tables / f"{name}.csv") if (tables / f"{name}.csv").is_file() else []
            for name in ("table-2", "sensitivity-learner-family", "generality-statements", "own-counts")
        }
    )
    words = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    of_each = [
        Finding(**{name: text.format_map(numbers) for name, text in each.items()})
        for each in words.pop("findings")
    ]
    return Findings(findings=of_each, **{name: text.format_map(numbers) for name, text in words.items()})


def found_numbers(tables: Mapping[str, Rows]) -> dict[str, str]:
    """Return by name what stands in the words of the summary, from the tables that a run has."""
    found = dict(EMPTY)
    played = tables["table-2"]
    # The printed table does not tell these learners from the study's, so none of the two stands alone.
    others = [row for row in tables["sensitivity-learner-family"] if row["scenario"] == published.OTHER_KIND]
    if played:
        kinds = [rows for rows in (played, others) if rows]
        ratios = [
            float(row["rw_meta"]) / max(float(row["min_noise"]), float(row["min_regret"]))
            for row in (*played, *others)
        ]
        ahead = min(sum(float(row["lead"]) > 0 for row in rows) for rows in kinds)
        clearly = min(sum(float(row["lead"]) > float(row["lead_pm"]) for row in rows) for rows in kinds)
        found |= {
            "settings_ahead": share(ahead, len(played), "setting"),
            "settings_clearly_ahead": share(clearly, len(played), "setting"),
            "times": f"{min(ratios):.2f} to {max(ratios):.2f}",
            "weeks": str(max(int(row["weeks"]) for row in played)),
            "of": str(published.WEEKS),
        }
    if tables["generality-statements"]:
        states = elsewhere(tables["generality-statements"])
        without = states["states"] - states["agrees"]
        found["states_without_lead"] = share(without, states["states"], "state")
    private = [row for row in tables["own-counts"] if math.isfinite(float(row["mu"]))]
    if private:
        leads = [(float(row["gain_rw_meta"]), float(row["gain_rw_meta_pm"])) for row in private]
        found |= {
            "own_more": share(sum(lead > width for lead, width in leads), len(leads), "setting"),
            "own_less": share(sum(lead < -width for lead, width in leads), len(leads), "setting"),
        }
    return found


def share(count: int, total: int, what: str) -> str:
    """Return in words how many of all that is: every, most (more than half), some, or none.

    >>> share(12, 12, "setting"), share(7, 12, "setting"), share(6, 12, "setting"), share(0, 12, "setting")
    ('every setting', 'most settings', 'some settings', 'no setting')
    """
    if count in (0, total):
        return f"{'every' if count else 'no'} {what}"
    return f"{'most' if 2 * count > total else 'some'} {what}s"


def markdown(summary: Findings) -> str:
    """Return what README begins with: what was found, a picture, and what is wrong with the data."""
    lines = [
        f"- **{each.title}** {each.found} *{LIMIT}* {each.limit} ([more]({each.document}))"
        for each in summary.findings
    ]
    picture = f"![{ALT}](docs/pictures/{PICTURE}.png)"
    return "\n".join([summary.played, "", *lines, "", picture, "", f"*{summary.picture}*", "", summary.data])


def latex(summary: Findings) -> str:
    """Return the abstract of the PDF."""
    each = [
        rf"\textbf{{{escaped(found.title)}}} {escaped(found.found)} {escaped(found.limit)}"
        for found in summary.findings
    ]
    return "\n".join([escaped(summary.played), *each, escaped(summary.data), ""])
