"""The coordinator's page: the choices, who has reported, and what reports cost, but no report's value."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from examples.hospitals.agreement import Terms

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-store",
}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 50rem; padding: 0 1rem; }
.choice { font-size: 1.8rem; margin: .5rem 0; }
.warning { border: 3px solid; padding: .5rem; font-weight: 600; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid; padding: .25rem 1.5rem .25rem 0; text-align: left; vertical-align: top; }
caption { text-align: left; }
"""

_WARNING = """<p class="warning">Simulation: the noise of these reports comes from a seed. Whoever knows
the seed knows the noise, so it protects nobody.</p>"""


@dataclass(frozen=True)
class Week:
    """What the page shows of a week."""

    day: str
    choice: str
    reported: frozenset[str]
    drawn: bool  # whether any hospital may have drawn for it


def page(terms: Mapping[str, Terms], weeks: Sequence[Week], over: bool) -> str:
    """Return the page, as HTML, after the weeks that were opened so far."""
    common, newest = next(iter(terms.values())), weeks[-1]
    rows = "\n".join(_row(week, terms) for week in reversed(weeks[:-1] if over else weeks))
    low, high = common.bounds
    spent = common.level * math.sqrt(sum(week.drawn for week in weeks))
    state = "All weeks are over. The next choice would be" if over else f"In the week of {newest.day}, help"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="60">
<title>{escape(newest.choice)} - hospital choices</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{"" if common.noise == "secure" else _WARNING}
<h1>Hospital choices</h1>
<p class="choice">{state} <strong>{escape(newest.choice)}</strong></p>
<p>Each hospital reports its figure ({escape(common.unit)}, {low:g} to {high:g}) with noise of its own. The
reports of one week together are
{escape(str(common.guarantee))} for a patient; all weeks so far are {spent:.3g}-GDP
for one who was a patient in each. Choices are computed from the noisy reports alone.</p>
<table>
<caption>All weeks, the newest first. A missing report counts as the least figure.</caption>
<thead><tr><th scope="col">Week</th><th scope="col">Choice</th><th scope="col">Reports</th>
<th scope="col">Missing</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</body>
</html>
"""


def _row(week: Week, terms: Mapping[str, Terms]) -> str:
    missing = ", ".join(sorted(set(terms) - week.reported)) or "none"
    cells = "".join(
        f"<td>{escape(cell)}</td>" for cell in (week.choice, f"{len(week.reported)} of {len(terms)}", missing)
    )
    return f'<tr><th scope="row">{week.day}</th>{cells}</tr>'
