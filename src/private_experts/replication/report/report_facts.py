"""The numbers of the ledger that the replication report's text cites, as commands of LaTeX."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.replication.ledger import ranking, verdicts
from private_experts.replication.ledger.grading import counted, in_words
from private_experts.replication.ledger.ledger_tables import HIDDEN
from private_experts.replication.ledger.ranking import FALLS, falls
from private_experts.replication.ledger.verdicts import all_verdicts
from private_experts.replication.plotting.latex import breakable, escaped, linked, number, traced
from private_experts.replication.report import scripts
from private_experts.replication.report.weeks import latex, weeks

Entry = Mapping[str, Any]

_HEAD = "% Generated from the ledger; both papers input it.\n"
# What the report names of the run besides tables of its results and claims.
DATA, LEDGER, WEEKS = "data", "claims", "weeks"
_LONG = 22  # letters of a heading that needs more room


def facts(ledger: Mapping[str, Any], weeks_played: Iterable[str] = ()) -> str:
    r"""Return the facts of the run as commands, such as ``\replicationdata`` and ``\verdictcounts``."""
    entries = ledger["claims"]
    count = verdicts.tally(entries)
    data = escaped(ledger["data"])
    other = (
        rf"\begin{{center}}\bfseries {{\Large {data}}}\\The text is about the repository's own "
        r"data.\end{center}"
    )
    cited = ledger["citation"]
    commands = {
        "replicationauthors": escaped(cited["authors"]),
        "replicationversion": escaped(cited["version"]),
        "replicationdate": cited["date"],
        "replicationdoi": f", DOI {escaped(cited['doi'])}" if cited["doi"] else "",
        "otherdatawarning": "" if ledger["pinned"] else other,
    }
    counts = {
        "replicationclaims": count["total"],
        "replicationpapers": len(ledger["papers"]),
        "notasexpected": count["surprising"],
        "papererrata": sum(count["errata"].values()),
        "fatalerrata": count["errata"]["fatal"],
        "erratacounted": ranking.errata_counted(entries),
        "otherslips": count["elsewhere"],
        "verdictcounts": _counts(ledger),
        "gradecounts": in_words(counted(entries)),
    }
    there = weeks(weeks_played, ledger["pinned"])
    commands |= {
        "replicationdata": traced((DATA,), data),
        "weekstrip": traced((WEEKS,), latex(there)),
        "copiedweeks": traced((WEEKS,), str(len(there.copied))),
        "missingweeks": traced((WEEKS,), escaped("; ".join(there.missing))),
    }
    commands |= {name: traced((LEDGER,), str(value)) for name, value in counts.items()}
    lines = [rf"\newcommand{{\{name}}}{{{value}}}" for name, value in commands.items()]
    for figure in ledger["figures"]:
        parts = [f"drawn by {linked(path)}" for path in [scripts.of_figure(figure)] if path]
        parts += [f"of {', '.join(map(_sheet, figure['claims']))}"] if figure["claims"] else []
        if parts:
            lines.append(_defined(f"rests@figures/{figure['name']}", ", ".join(parts)))
    lines += [_defined(f"claims@{part}", claims) for part, claims in _by_part(entries).items()]
    for entry in entries:
        lines.append(_defined(f"rests@{entry['id']}", _claim(entry)))
        for part in all_verdicts(entry):
            of = cited_name(entry["id"], part["name"])
            lines += [
                _defined(f"claim@{of}@{name}", traced((entry["id"],), text)) for name, text in _cited(part)
            ]
    return _HEAD + "\n".join([*lines, ""])


def _defined(name: str, text: str) -> str:
    return rf"\expandafter\def\csname {name}\endcsname{{{text}}}"


def _sheet(claim: str) -> str:
    return linked(f"paper/index.html#{claim}", claim)


def _claim(entry: Entry) -> str:
    """Return where a claim's numbers are from: its sheet, its evidence, its check and the mathematics."""
    evidence = linked(f"results/claims/{entry['id']}.csv", "evidence")
    paths = map(linked, (entry["code"]["file"], entry["mathematics"]))
    return ", ".join([f"claim {_sheet(entry['id'])}", evidence, *paths])


def _by_part(entries: Sequence[Entry]) -> dict[str, str]:
    """Return by the part of the mathematics, such as 000:adaptive-rate, the claims that are about it."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        file, _, anchor = entry["mathematics"].partition("#")
        name = rf"\texttt{{{breakable(entry['id'])}}}"
        found.setdefault(f"{Path(file).stem}:{anchor}", []).append(traced((entry["id"],), name))
    return {part: ", ".join(claims) for part, claims in found.items()}


def cited_name(claim: str, statement: str) -> str:
    """Return by which name the report's text cites a claim, or one of its statements."""
    # A statement such as "about 90 %" goes without what LaTeX would read as a command.
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", statement)
    return f"{claim}/{slug}" if slug else claim


def _cited(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield what prose cites of a claim or a statement: value and bound at the point its verdict shows."""
    if "worst" in entry:
        value, low, high, bound = (
            number(entry["worst"][name], 3) for name in ("value", "low", "high", "bound")
        )
        yield "value", f"${value}$" if low == high else f"${value}$ $[{low},\\,{high}]$"
        yield "bound", f"${bound}$"
        for name, place in entry["worst"].items():
            if name not in HIDDEN:
                yield f"at {name}", escaped(place) if isinstance(place, str) else f"${number(place)}$"


def _counts(ledger: Mapping[str, Any]) -> str:
    rows = []
    for paper in ledger["papers"]:
        count = verdicts.tally(verdicts.of_paper(ledger["claims"], paper["paper"]))
        cells = [
            paper["paper"],
            count["total"],
            count["verdicts"]["holds"],
            *falls(verdicts.of_paper(ledger["claims"], paper["paper"])).values(),
            *(count["verdicts"][name] for name in verdicts.ORDER[2:]),
            count["surprising"],
            count["observed"],
        ]
        rows.append(" & ".join(map(str, cells)))
    holds, _, *rest = verdicts.ORDER
    names = ["paper", "claims", holds, *map(escaped, FALLS), *rest, "not as expected", "observed"]
    body = "".join(rf"{row} \\" for row in rows)
    head = " & ".join(names)
    widths = ("1.9cm" if len(name) > _LONG else "1.4cm" for name in names[1:])
    columns = "l" + "".join(rf">{{\raggedleft\arraybackslash}}p{{{width}}}" for width in widths)
    table = rf"\toprule {head} \\ \midrule {body}\bottomrule"
    return rf"{{\tabcolsep3pt\begin{{tabular}}{{{columns}}}{table}\end{{tabular}}}}"
