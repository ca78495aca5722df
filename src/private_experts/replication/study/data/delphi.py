"""Downloads the same hospital reports from Carnegie Mellon's Delphi Epidata, which keeps every version of them.

The US health department replaces its file each week. Delphi keeps each of these publications whole, and so a download
here is one publication: the newest, or the newest until a given day. Its rows become those of healthdata.gov's file.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.study.data import epidata
from private_experts.replication.study.data.hospital_reports import IDENTITY
from private_experts.replication.study.data.http_client import HttpClient
from private_experts.replication.study.data.paging import Pages
from private_experts.replication.study.data.query import Query
from private_experts.replication.study.data.states import STATES

KEY_VARIABLE = "DELPHI_EPIDATA_KEY"  # as Delphi's own clients call it
_SAMPLE = 10  # hospitals whose rows show which publications and columns there are
_ALL_DAYS = (20200101, 99991231)  # nothing was published before
_REMEDIES = {
    401: f"the service rejects the key in {KEY_VARIABLE}, or requires one: register a free one, or unset it",
    414: "write a smaller hospital.delphi.page_size",
    429: f"without a key the limit is 60 requests an hour: set {KEY_VARIABLE} to a free one, or run again in an hour; "
    "the download resumes",
}


def download(query: Query, destination: Path, *, key: str | None = None) -> dict[str, Any]:
    """Download one publication of the reports into one gzipped CSV file, and return its provenance record.

    It raises `Unreachable` when the service keeps failing, and `InputError` when its data or the key is wrong.
    """
    if key and not (key.isascii() and key.isprintable()):
        raise InputError(f"{KEY_VARIABLE}: has a character that no key has; copy the key again")
    service = _Service(query, HttpClient(_REMEDIES, ("epidata", key) if key else None))
    states = query.states or tuple(STATES)
    sample = service.sample(states)
    publication = service.publication(sample)
    columns = service.columns(sample, publication)
    provenance = {"url": service.url, **query.identity(), "publication": publication, "columns": columns}
    pages, rows = Pages(destination, provenance), 0
    for state in tqdm(states, unit="state", desc="reports"):
        check = partial(epidata.check_page, columns=columns)
        rows += len(check(pages.next(check, partial(service.page, state, publication, columns))))
    return pages.join(provenance | {"rows": rows}, query.sha256)


@dataclass(frozen=True)
class _Service:
    """Delphi's service, and what is requested from it."""

    query: Query
    client: HttpClient

    @property
    def url(self) -> str:
        return f"{self.query.base_url}/{self.query.dataset}/"

    @property
    def lookup_url(self) -> str:
        return f"{self.query.base_url}/{self.query.dataset}_lookup/"

    def facility(
        self, hospitals: Iterable[str], publications: str, fields: Iterable[str], parse: Callable[..., Any]
    ) -> Any:
        """Return the parsed rows of some hospitals in all weeks and some publications."""
        weeks = f"{epidata.day_number(self.query.first_week)}-{epidata.day_number(self.query.last_week)}"
        parameters = {"hospital_pks": ",".join(hospitals), "collection_weeks": weeks, "publication_dates": publications}
        parameters["fields"] = ",".join(fields)
        return self.client.get(self.url, parameters, lambda text: parse(epidata.parse_rows(text)))

    def hospitals(self, state: str) -> list[str]:
        """Return the hospitals of a state. The lookup is documented for one state at a time."""
        parameters = {"state": state, "fields": "hospital_pk,state"}
        return self.client.get(
            self.lookup_url, parameters, lambda text: epidata.hospitals_of(epidata.parse_rows(text), state)
        )

    def sample(self, states: Sequence[str]) -> Sequence[str]:
        """Return a few hospitals of the first state that has any."""
        for state in states:
            if found := self.hospitals(state):
                return found[:: -(-len(found) // _SAMPLE)]
        raise InputError(f"{self.lookup_url}: has no hospital in {', '.join(states)}; choose other states")

    def publication(self, sample: Sequence[str]) -> str:
        """Return the day (ISO date) of the newest publication, or of the newest until the day of `as_of`.

        Every publication has all states and all weeks so far, so some hospitals suffice to find it. One whose weeks
        are not dates, as that of 2021-03-11 at Delphi (issue 1368 of delphi-epidata), is passed over.
        """
        first, last = _ALL_DAYS
        until = epidata.day_number(self.query.as_of) if self.query.as_of else last
        days: set[str] = self.facility(sample, f"{first}-{until}", ["publication_date"], epidata.publications_of)
        if not days:
            raise InputError(
                f"{self.url}: nothing was published{f' until {self.query.as_of}' if self.query.as_of else ''} on weeks "
                f"from {self.query.first_week} to {self.query.last_week}; choose other weeks, or a later hospital.as_of"
            )
        return max(days)

    def columns(self, sample: Sequence[str], publication: str) -> list[str]:
        """Return which columns of the query the service has; it ignores fields that it lacks."""
        names = {column: epidata.name_at_delphi(column) for column in (*IDENTITY, *self.query.columns)}
        present: set[str] = self.facility(
            sample, str(epidata.day_number(publication)), names.values(), epidata.field_names
        )
        if lacking := [column for column in IDENTITY if column not in present]:
            raise InputError(f"{self.url}: there is no column {', '.join(lacking)}; check hospital.delphi.base_url")
        return [column for column, name in names.items() if name in present]

    def page(self, state: str, publication: str, columns: Sequence[str]) -> str:
        """Return the rows of a state as CSV, sorted by hospital and week."""
        names, hospitals = [epidata.name_at_delphi(column) for column in columns], self.hospitals(state)
        fields, weeks = [*names, "publication_date"], (self.query.first_week, self.query.last_week)
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for start in range(0, len(hospitals), self.query.page_size):
            some = hospitals[start : start + self.query.page_size]
            check = partial(
                epidata.check_rows, state=state, hospitals=some, weeks=weeks, publication=publication, fields=fields
            )
            rows = self.facility(some, str(epidata.day_number(publication)), fields, check)
            writer.writerows([row[name] for name in names] for row in rows)
        return stream.getvalue()
