"""What a notebook reads: the results of a run, and how it shows figures and tables.

The environment names the folders in `RESULTS_VARIABLE` and `PAPER_VARIABLE`.
"""

import html
import io
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from private_experts.errors import InputError
from private_experts.replication.ledger.errata import PAPER
from private_experts.replication.ledger.evidence import nearness
from private_experts.replication.ledger.grading import KNOWN, counted
from private_experts.replication.ledger.ledger_tables import shown_point
from private_experts.replication.ledger.verdicts import of_paper, place_of, tally
from private_experts.replication.plotting.layout import settle
from private_experts.replication.records import read_json, read_table
from private_experts.replication.report.findings import ALT, PICTURE
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.data.panel import read as read_panel

RESULTS_VARIABLE = "PRIVATE_EXPERTS_RESULTS"
PAPER_VARIABLE = "PRIVATE_EXPERTS_PAPER"

_DENSITY = 160  # dots an inch
_SHOWN = 100  # of which a screen shows so many as an inch


class MissingResultsError(InputError):
    """Raised when no run has made a result yet."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows of the error: its one line."""
        return [str(self)]


@dataclass(frozen=True)
class Picture:
    """A picture that a notebook shows, with a description."""

    png: bytes = field(repr=False)
    alt: str
    width: int  # on a screen

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        return self.png, {"width": self.width, "alt": self.alt}


def drawn(figure: Figure, alt: str) -> Picture:
    """Return a figure as a picture: the same bytes every time."""
    settle(figure)
    stream = io.BytesIO()
    # Matplotlib writes its version into a picture otherwise.
    figure.savefig(stream, format="png", dpi=_DENSITY, metadata={"Software": None})
    return Picture(stream.getvalue(), alt, round(figure.get_figwidth() * _SHOWN))


@dataclass(frozen=True)
class Table:
    """A table that a notebook shows: words left, numbers right with a fixed number of digits."""

    frame: pd.DataFrame
    digits: int

    def __repr__(self) -> str:
        return self.frame.to_string(index=False, float_format=self._shown)

    def _repr_html_(self) -> str:
        sides = ["right" if pd.api.types.is_numeric_dtype(kind) else "left" for kind in self.frame.dtypes]

        def line(cells: Iterable[object], tag: str) -> str:
            shown = zip(map(self._shown, cells), sides, strict=True)
            return "".join(
                f'<{tag} style="text-align: {side}">{html.escape(text)}</{tag}>' for text, side in shown
            )

        rows = [line(row, "td") for row in self.frame.itertuples(index=False)]
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<table>\n<thead><tr>{line(self.frame, 'th')}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    def _shown(self, value: object) -> str:
        if not isinstance(value, float):
            return str(value)
        if not math.isfinite(value):
            return "" if math.isnan(value) else ("∞" if value > 0 else "-∞")
        return f"{value:.{self.digits}f}"


def tabled(frame: pd.DataFrame, digits: int = 2) -> Table:
    """Return a table as a notebook shows it well."""
    return Table(frame, digits)


@dataclass(frozen=True)
class Results:
    """The results of one run."""

    results: Path  # what it computed
    paper: Path  # its tables and figures

    def _at(self, path: Path) -> Path:
        if not path.is_file():
            raise MissingResultsError(
                f"{path.name} is not there yet: run `make reproduce` in the clone's folder first"
            )
        return path

    @cached_property
    def ledger(self) -> Mapping[str, Any]:
        """The ledger: all claims with their verdicts."""
        return read_json(self._at(self.results / "claims.json"), ("claims", "papers", "data", "synthetic"))

    @property
    def data(self) -> str:
        """The data that the results rest on, with a warning when they are synthetic."""
        loud = "\nSYNTHETIC DATA: nothing can be concluded about hospitals."
        return f"Data: {self.ledger['data']}{loud if self.ledger['synthetic'] else ''}"

    def table(self, name: str) -> pd.DataFrame:
        """Return a table in numbers, such as ``table-2``."""
        return read_table(self._at(self.paper / "tables" / f"{name}.csv"))

    def panel(self, state: str) -> Panel:
        """Return a state's panel."""
        return read_panel(self._at(self.results / "hospital" / "study" / "panels" / f"{state}.csv"))

    def picture(self, name: str) -> Picture:
        """Return a figure, such as ``figure-2``."""
        known = {PICTURE: ALT} | {figure["name"]: figure["alt"] for figure in self.ledger["figures"]}
        png = self._at(self.paper / "figures" / f"{name}.png").read_bytes()
        return Picture(png, known.get(name, name), 800)

    def picture_of(self, claim: str) -> Picture | None:
        """Return the first figure that shows a claim, if this run drew one."""
        names = [figure["name"] for figure in self.ledger["figures"] if claim in figure["claims"]]
        return self.picture(names[0]) if names else None

    def verdict_on(self, claim: str) -> str:
        """Return the verdict on a claim, and the point that it shows: value, bound, and where on the grid."""
        entries = [entry for entry in self.ledger["claims"] if entry["id"] == claim]
        return f"{entries[0]['verdict']}, {shown_point(entries[0])}" if entries else "not in this ledger"

    def claims(self, paper: str) -> pd.DataFrame:
        """Return the claims of a paper by verdict, those with the smallest margin (`nearness`) first."""
        columns = [
            "claim",
            "statement",
            "verdict",
            "how it is known, and how near",
            "expected",
            "kind",
            "margin",
        ]
        rows = [
            (
                claim["id"],
                claim["statement"],
                claim["verdict"],
                claim["grade"]["words"],
                claim["expected"] or "",
                claim["kind"],
                _margin(claim),
            )
            for claim in self.ledger["claims"]
            if claim["paper"] == paper
        ]
        return pd.DataFrame(rows, columns=columns).sort_values(["verdict", "margin"], ignore_index=True)

    def verdicts(self) -> pd.DataFrame:
        """Return how many claims of each paper have which verdict, and how many errata the paper has."""
        rows = []
        for paper in self.ledger["papers"]:
            count = tally(of_paper(self.ledger["claims"], paper["paper"]))
            errata = {"errata": sum(count["errata"].values()), "fatal errata": count["errata"]["fatal"]}
            surprising = {"not as expected": count["surprising"]}
            rows.append({**paper, "claims": count["total"], **count["verdicts"], **surprising, **errata})
        return pd.DataFrame(rows)

    def grades(self) -> pd.DataFrame:
        """Return how many claims of each paper are known in which way, the best first."""
        papers = [paper["paper"] for paper in self.ledger["papers"]]
        counts = [counted(of_paper(self.ledger["claims"], paper)) for paper in papers]
        names = [name for name in KNOWN if any(name in count for count in counts)]
        return pd.DataFrame(
            [
                {"paper": paper, **dict.fromkeys(names, 0), **count}
                for paper, count in zip(papers, counts, strict=True)
            ]
        )

    def errata(self, paper: str) -> pd.DataFrame:
        """Return the claims of a paper's errata, its own first, with who said each and counterexamples."""
        rows = [
            (
                claim["erratum"]["name"],
                claim["erratum"]["said_by"],
                claim["erratum"]["severity"] or "",
                claim["id"],
                claim["statement"],
                claim["verdict"],
                shown_point(claim) if claim["verdict"] == "fails" else "",
            )
            for claim in self.ledger["claims"]
            if claim["erratum"] and claim["paper"] == paper
        ]
        # By number and not by name, in which E000-10 comes before E000-9.
        rows.sort(key=lambda row: (row[1] != PAPER, place_of(row[0])))
        columns = ["erratum", "said by", "severity", "claim", "statement", "verdict", "counterexample"]
        return pd.DataFrame(rows, columns=columns)


def _margin(entry: Mapping[str, Any]) -> float:
    return nearness(entry["worst"]) if "worst" in entry else math.nan


def find(start: Path | None = None) -> Results:
    """Find the results of a run: in the folders the environment names, or in the clone around `start`."""
    folders = [os.environ.get(name) for name in (RESULTS_VARIABLE, PAPER_VARIABLE)]
    if folders[0] and folders[1]:
        return Results(Path(folders[0]), Path(folders[1]))
    here = (start or Path()).resolve()
    for folder in (here, *here.parents):
        if (folder / "paper" / "replication.py").is_file():
            return Results(Path(folders[0] or folder / "results"), Path(folders[1] or folder / "paper"))
    raise MissingResultsError(
        f"no results found: open the notebook in a clone, or set {RESULTS_VARIABLE} and {PAPER_VARIABLE}"
    )
