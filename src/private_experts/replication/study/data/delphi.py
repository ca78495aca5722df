"""Downloads the same hospital reports from Carnegie Mellon's Delphi Epidata, which keeps every version of them.

The US health department replaces its file each week. Delphi keeps each of these publications whole, and so a download
here is one publication, the newest. Its rows become those of healthdata.gov's file. From the documentation of
``covid_hosp_facility`` and the service's public source code (delphi-epidata 4.1.40).
"""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import IDENTITY
from private_experts.replication.study.data.http_client import Unreachable, get
from private_experts.replication.study.data.query import Query, store
from private_experts.replication.study.data.states import STATES

KEY_VARIABLE = "DELPHI_EPIDATA_KEY"  # as Delphi's own clients call it
HOSPITALS = 100  # of one request
_SAMPLE = 10  # hospitals whose rows show which publications and columns there are
_ALL_DAYS = "20200101-99991231"  # nothing was published before
_REMEDIES = {
    401: f"the service rejects the key in {KEY_VARIABLE}, or requires one: register a free one, or unset it",
    429: f"without a key the limit is 60 requests an hour, and all states take 110: set {KEY_VARIABLE} to a free one",
}
_LONGEST_NAME = 64  # of a column of MySQL; Delphi shortens those that are longer
_SHORTER = (
    ("hospitalized_", "hosp_"), ("_and_suspected", "_suspected"), ("vaccinated", "vaccd"), ("_coverage", "_cov"),
)  # fmt: skip


def name_at_delphi(column: str) -> str:
    """Return Delphi's name of a column of the official export, shorter above 64 characters."""
    name = column.lower().replace("-", "_").replace("+", "plus")
    if len(name) <= _LONGEST_NAME:
        return name
    for long, short in _SHORTER:
        name = name.replace(long, short)
    return name if "_vaccd_" in name else name.replace("_7_day_", "_7d_")


def download(query: Query, destination: Path, *, key: str | None = None) -> dict[str, Any]:
    """Download the newest publication of the reports into one gzipped CSV file, and return its provenance record.

    It raises `Unreachable` when the service keeps failing, and `InputError` when its data or the key is wrong.
    """
    if key and not (key.isascii() and key.isprintable()):
        raise InputError(f"{KEY_VARIABLE}: has a character that no key has; copy the key again")
    url, lookup = (f"{query.base_url}/{query.dataset}{end}/" for end in ("", "_lookup"))
    weeks = "-".join(day.replace("-", "") for day in (query.first_week, query.last_week))

    def reports(hospitals: Iterable[str], publications: str, fields: Iterable[str]) -> list[dict[str, Any]]:
        asked = {"hospital_pks": ",".join(hospitals), "collection_weeks": weeks, "publication_dates": publications}
        return _rows(url, asked, fields, key)

    states = query.states or tuple(STATES)
    found = (_rows(lookup, {"state": state}, ["hospital_pk"], key) for state in tqdm(states, unit="state"))
    hospitals = sorted({row["hospital_pk"] for rows in found for row in rows})
    if not hospitals:
        raise InputError(f"{lookup}: has no hospital in {', '.join(states)}; choose other states")
    sample = hospitals[:: -(-len(hospitals) // _SAMPLE)]
    days = {str(row["publication_date"]) for row in reports(sample, _ALL_DAYS, ["publication_date"])}
    if not days:
        raise InputError(f"{url}: has no weeks from {query.first_week} to {query.last_week}; choose other weeks")
    newest = max(days)
    wanted = {column: name_at_delphi(column) for column in dict.fromkeys((*IDENTITY, *query.columns))}
    present = {name for row in reports(sample, newest, wanted.values()) for name in row}
    if lacking := [column for column in IDENTITY if column not in present]:
        raise InputError(f"{url}: there is no column {', '.join(lacking)}; check hospital.delphi.base_url")
    names = {column: name for column, name in wanted.items() if name in present}
    rows: list[dict[str, Any]] = []
    for start in tqdm(range(0, len(hospitals), HOSPITALS), unit="request", desc="reports"):
        rows += reports(hospitals[start : start + HOSPITALS], newest, names.values())
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    for row in sorted(rows, key=lambda row: (row["hospital_pk"], row["collection_week"])):
        writer.writerow([row[name] for name in names.values()])
    provenance = {"url": url, **query.identity(), "publication": _iso(newest), "columns": [*names], "rows": len(rows)}
    return store(stream.getvalue(), destination, provenance, query.sha256)


def _rows(url: str, parameters: dict[str, str], fields: Iterable[str], key: str | None) -> list[dict[str, Any]]:
    """Return these fields of the rows that a service has for a request."""
    asked = {**parameters, "fields": ",".join(fields)}
    return parse_rows(get(url, asked, ("epidata", key) if key else None, _REMEDIES), url, fields)


def parse_rows(text: str, url: str, fields: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of a response in Delphi's classic format, which has a code that says whether they are all."""
    try:
        response = json.loads(text)
        code, rows, message = response["result"], response.get("epidata"), str(response["message"])[:300]
        if code == 1:
            names = [name for name in fields if name in rows[0]]
            return [_dated({name: row[name] for name in names}) for row in rows]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{url}: the response is not a complete one of Delphi Epidata; run again later") from error
    if code == -2:
        return []
    kind = Unreachable if code == -1 and "error" in message else InputError  # "database error", "unknown error"
    raise kind(f"{url}: the service did not give the rows: {' '.join(message.split())}")


def _dated(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its week as an ISO date."""
    return {**row, "collection_week": _iso(row["collection_week"])} if "collection_week" in row else row


def _iso(day: object) -> str:
    """Return Delphi's number of a day, YYYYMMDD, as an ISO date."""
    digits = str(day)
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
