"""Downloading the same hospital reports from Carnegie Mellon's Delphi Epidata, which keeps every version of them.

The US health department replaces its file each week. Delphi keeps each of these publications whole, and so a download
here is one publication: the newest, or the newest until a given day. Its rows become those of healthdata.gov's file,
with the official names of the columns and ISO weeks.

The real service was never reached from where this was written. Its own client, epidatpy, is not used: as of version
0.7.0 its tables drop the code that says they were cut off, an error of the service's database becomes an empty table,
and it waits neither for a server that asks it to nor only for so long.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import requests
from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.hospital import epidata
from private_experts.replication.hospital.hospital_reports import IDENTITY
from private_experts.replication.hospital.outline import STATES
from private_experts.replication.hospital.pages import Pages, finish
from private_experts.replication.hospital.portal import PATIENCE, Patience, Query, Server, check_request

KEY_VARIABLE = "DELPHI_EPIDATA_KEY"  # as Delphi's own clients call it
_SAMPLE = 10  # hospitals that are asked for all publications
_ALL_DAYS = (20200101, 99991231)  # nothing was published before
_REMEDIES = {
    401: f"the service does not know the key in {KEY_VARIABLE}, or wants one: register a free one, or unset it",
    414: "write a smaller hospital.delphi.page_size",
    429: f"without a key it answers 60 requests an hour: set {KEY_VARIABLE} to a free one, or run this again in an "
    "hour, when it goes on from here",
}


def download(
    query: Query,
    destination: Path,
    *,
    key: str | None = None,
    sha256: str | None = None,
    patience: Patience = PATIENCE,
    progress: bool = True,
) -> dict[str, Any]:
    """Download one publication of the reports into one CSV file, and record where it came from.

    States that have arrived are kept in ``<destination>.parts`` until all are there. The provenance is written to
    ``<destination>.provenance.json``.

    Parameters
    ----------
    query : Query
        What to ask for. `as_of` picks the newest publication until that day; without it, the newest is taken.
    destination : Path
        The file to be written, compressed when its name ends in ``.gz``.
    key : str, optional
        The API key. Without one the service answers 60 requests an hour.
    sha256 : str, optional
        The checksum that the file must have.
    patience : Patience, optional
        How often and how long to try.
    progress : bool, optional
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    dict
        The provenance: source, query, publication, time, number of rows, columns and checksum.

    Raises
    ------
    Unreachable
        When the service cannot be reached or keeps failing.
    InputError
        When the query is wrong, the answer is not the data asked for, the key or its lack is refused, or the checksum
        differs.
    """
    destination = Path(destination)
    check_request(query, destination, sha256)
    if key and not (key.isascii() and key.isprintable()):
        raise InputError(f"{KEY_VARIABLE}: has a character that no key has; copy the key once more")
    with requests.Session() as session:
        session.headers["Connection"] = "close"
        if key:
            session.auth = ("epidata", key)  # in a header, so that it is in no address and no message
        service = _Service(session, query, patience)
        states = query.states or tuple(STATES)
        sample = service.sample(states)
        publication = service.publication(sample)
        columns = service.columns(sample, publication)
        wanted = {"url": service.url, **query.asked(), "publication": publication, "columns": columns}
        pages, rows = Pages(destination, wanted), 0
        for state in tqdm(states, unit="state", desc="reports", disable=not progress):
            check = partial(epidata.page_of, columns=columns)
            rows += len(check(pages.next(check, partial(service.page, state, publication, columns))))
    provenance = wanted | {"retrieved": datetime.now(UTC).isoformat(timespec="seconds"), "rows": rows}
    return finish(pages, provenance, sha256)


@dataclass(frozen=True)
class _Service:
    """Delphi's service, and what is asked of it."""

    session: requests.Session
    query: Query
    patience: Patience

    @property
    def url(self) -> str:
        return f"{self.query.base_url.rstrip('/')}/{self.query.dataset}/"

    @property
    def lookup_url(self) -> str:
        return f"{self.url.removesuffix('/')}_lookup/"

    def ask(
        self, url: str, parameters: Mapping[str, str], check: Callable[[list[epidata.Row]], Any], first: bool = False
    ) -> Any:
        """Return what `check` makes of the rows of the answer."""
        server = Server(self.session, url, self.patience, _REMEDIES)
        return server.ask(parameters, lambda text: check(epidata.rows_of(text)), first=first)

    def facility(
        self, hospitals: Iterable[str], publications: str, fields: Iterable[str], check: Callable[..., Any]
    ) -> Any:
        """Return what `check` makes of the rows of some hospitals in all weeks and some publications."""
        weeks = f"{epidata.day_there(self.query.first_week)}-{epidata.day_there(self.query.last_week)}"
        asked = {"hospital_pks": ",".join(hospitals), "collection_weeks": weeks, "publication_dates": publications}
        return self.ask(self.url, {**asked, "fields": ",".join(fields)}, check)

    def homes(self, state: str, first: bool = False) -> dict[str, str]:
        """Return the hospitals of a state, each with that state. The lookup is documented for one at a time."""
        asked = {"state": state, "fields": "hospital_pk,state"}
        found: dict[str, str] = self.ask(self.lookup_url, asked, partial(epidata.homes_of, state=state), first)
        return found

    def sample(self, states: Sequence[str]) -> Sequence[str]:
        """Return a few hospitals from all over the first state that has any."""
        for state in states:
            if homes := [*self.homes(state, first=state == states[0])]:
                return homes[:: -(-len(homes) // _SAMPLE)]
        raise InputError(f"{self.lookup_url}: knows no hospital in {', '.join(states)}; choose other states")

    def publication(self, sample: Sequence[str]) -> str:
        """Return the day (ISO date) of the newest publication, or of the newest until the day of `as_of`.

        Every publication has all states and all weeks so far, so some hospitals suffice to find it. One whose weeks
        are no days, as that of 2021-03-11 at Delphi (issue 1368 of delphi-epidata), is passed over.
        """
        first, last = _ALL_DAYS
        until = epidata.day_there(self.query.as_of) if self.query.as_of else last
        days: set[str] = self.facility(sample, f"{first}-{until}", ["publication_date"], epidata.publications_of)
        if not days:
            raise InputError(
                f"{self.url}: nothing was published{f' until {self.query.as_of}' if self.query.as_of else ''} on weeks "
                f"from {self.query.first_week} to {self.query.last_week}; choose other weeks, or a later hospital.as_of"
            )
        return max(days)

    def columns(self, sample: Sequence[str], publication: str) -> list[str]:
        """Return which of the columns that are wanted the service has; it passes over fields that it lacks."""
        fields = map(epidata.name_there, self.query.columns)
        there: set[str] = self.facility(sample, str(epidata.day_there(publication)), fields, epidata.names_of)
        if lacking := [name for name in IDENTITY if name not in there]:
            raise InputError(f"{self.url}: there is no column {', '.join(lacking)}; check hospital.delphi.base_url")
        return [name for name in dict.fromkeys(self.query.columns) if epidata.name_there(name) in there]

    def page(self, state: str, publication: str, columns: Sequence[str]) -> str:
        """Return the rows of a state as CSV, sorted by hospital and week."""
        names, stream, homes = [*map(epidata.name_there, columns)], io.StringIO(newline=""), self.homes(state)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for start in range(0, len(homes), self.query.page_size):
            some = [*homes][start : start + self.query.page_size]
            fields, weeks = [*names, "publication_date"], (self.query.first_week, self.query.last_week)
            homes_asked = dict.fromkeys(some, state)
            check = partial(epidata.checked, homes=homes_asked, weeks=weeks, publication=publication, fields=fields)
            rows = self.facility(some, str(epidata.day_there(publication)), fields, check)
            writer.writerows([row[name] for name in names] for row in rows)
        return stream.getvalue()
