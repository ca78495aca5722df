"""An export as the publisher's: its 127 columns, the paper's 148 weeks, and both patient columns.

The 94 weeks of the pinned file are real. All else is invented, and named so in the column of the hospitals'
names: the weeks between and after them, the suspected patients, and every other column, which is empty.
"""

import csv
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

from private_experts.replication.study.data.hospital_reports import SUPPRESSED, read_columns
from private_experts.replication.study.data.source import PINNED

ROOT = Path(__file__).parents[4]
# In three parts, of which the second has no endings.
_FIRST, _MEASURED, _LAST = map(
    str.split, Path(__file__).with_name("export_columns.txt").read_text(encoding="utf-8").split("\n\n")
)
_ENDED = (f"{name}_7_day_{ending}" for ending in ("avg", "sum", "coverage") for name in _MEASURED)
COLUMNS = (*_FIRST, *_ENDED, *_LAST)
WEEKS = tuple((date(2020, 8, 7) + timedelta(weeks=week)).isoformat() for week in range(148))
BEDS = "all_adult_hospital_inpatient_beds_7_day_avg"
CONFIRMED = "total_adult_patients_hospitalized_confirmed_covid_7_day_avg"
BOTH = "total_adult_patients_hospitalized_confirmed_and_suspected_covid_7_day_avg"
SUSPECTED = "previous_day_admission_adult_covid_suspected_7_day_sum"
NOT_SHOWN = ("", "NA", f"{SUPPRESSED}", f"{SUPPRESSED}.0")  # as the pinned file has them
INVENTED = "INVENTED WEEK"
REAL = "REAL WEEK, SUSPECTED PATIENTS INVENTED"


def whole_export(states: Sequence[str], hospitals: int) -> list[tuple[str, ...]]:
    """Return rows of `COLUMNS` of hospitals reporting in all real weeks; a state's last has no suspected."""
    names, rows = read_columns(ROOT / PINNED, ("hospital_pk", "collection_week", "state"), (BEDS, CONFIRMED))
    figures_of: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for row in rows:
        cells = dict(zip(names, row, strict=True))
        if cells["state"] in states and cells[BEDS] not in NOT_SHOWN:
            week = cells["collection_week"].replace("/", "-")
            figures_of.setdefault((cells["state"], cells["hospital_pk"]), {})[week] = cells
    made = []
    for state in states:
        real = {week for (home, _), weeks in figures_of.items() if home == state for week in weeks}
        whole = sorted(
            pk for (home, pk), weeks in figures_of.items() if home == state and weeks.keys() == real
        )[:hospitals]
        for pk in whole:
            weeks, last = figures_of[state, pk], WEEKS[0]
            for week in WEEKS:
                last = week if week in weeks else last
                known, seen = weeks[last], week in weeks
                shown = known[CONFIRMED]
                both = shown if shown in NOT_SHOWN else f"{float(shown) * 1.1:.1f}"
                row = {"hospital_pk": pk, "collection_week": week, "state": state, "ccn": pk}
                row |= {
                    "hospital_name": REAL if seen else INVENTED,
                    BEDS: known[BEDS],
                    CONFIRMED: shown,
                    BOTH: both,
                }
                row |= {SUSPECTED: "0" if pk == whole[-1] else "7"}
                made.append(tuple(row.get(name, "") for name in COLUMNS))
    return made


def write_export(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as the publisher's whole export does: dates with slashes."""
    week = COLUMNS.index("collection_week")
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*row[:week], row[week].replace("-", "/"), *row[week + 1 :]) for row in rows)
