"""The stages of claims: from a claim to its evidence, and from all evidence to the ledger and its tables."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import sha256, write_text
from private_experts.replication.ledger.experiments import drawings, experiments
from private_experts.replication.ledger.timing import Meter
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import (
    AGAIN,
    check_columns,
    read_json,
    read_rows,
    read_table,
    read_text,
)
from private_experts.replication.stage_cli import FLAGS, INPUT, OUTPUT, PARAMS, Config
from private_experts.replication.study.formats import EVIDENCE, IDLE
from private_experts.replication.study.stage_parameters import (
    ClaimFiles,
    FigureFolder,
    Ledger,
    Panels,
    Provenance,
    Seed,
)


def checks(
    claims: Annotated[Sequence[str], PARAMS, "Their ids."],
    claim_files: ClaimFiles,
    seed: Seed,
    evidence: Annotated[Sequence[Path], OUTPUT, "A file for each claim; it gets a row for each grid point."],
    verdicts: Annotated[Sequence[Path], OUTPUT, "A file for each claim; it gets the verdict, as JSON."],
    quick: Annotated[bool, FLAGS, "Check them on their quick grids."] = False,
    panels: Panels = (),
    table: Annotated[Path | None, INPUT, "Table 2 as CSV, for claims about it."] = None,
    report_noise: Annotated[
        Sequence[Path], INPUT, "Noise in the reports of local players, for claims about it."
    ] = (),
    provenance: Annotated[Path | None, INPUT, "Where the data comes from, for claims about data."] = None,
    check_code: Annotated[
        Sequence[Path], INPUT, "What stands for the code of each check, for its verdict."
    ] = (),
) -> None:
    """Check claims: write the evidence of each as a table, and its verdict as JSON."""
    from private_experts.replication.ledger.checking import computed, plain, reused_costs, shared, table_of

    codes: Sequence[Path | None] = check_code or [None] * len(claims)
    if not len(claims) == len(evidence) == len(verdicts) == len(codes):
        raise InputError(
            f"checks: {len(claims)} claims need as many files of evidence, of verdicts and of code"
        )
    selected = experiments(claim_files, claims, quick)
    data: dict[str, Any] | None = None
    for name, experiment, rows_file, verdict_file, code in zip(
        claims, selected, evidence, verdicts, codes, strict=True
    ):
        meter = Meter(name)
        try:
            # Read when the first claim needs it, so that an error is told with a claim's name, and once for
            # all.
            data = shared(panels, table, report_noise) if data is None else data
            rows, record = computed(experiment, seed, panels, table, report_noise, provenance, data)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
        if code is not None:  # so that a reader sees which code the verdict is of
            record["fingerprint"] = sha256(code)[:16]
        write_text(rows_file, table_of(rows) if rows else f"{IDLE[0]}\n{record['reason']}\n")
        write_text(verdict_file, json.dumps(plain(record), indent=1, allow_nan=False) + "\n")
        account = meter.account()
        for other in reused_costs(data):
            account = account.beside(other)
        print(account.line(), file=sys.stderr, flush=True)


def claim_figures(
    names: Annotated[Sequence[str], PARAMS, "Of the figures."],
    claim_files: ClaimFiles,
    folder: Annotated[Path, PARAMS, "Folder of the claims' evidence, by id."],
    seed: Seed,
    figures: FigureFolder,
    provenance: Annotated[
        Path | None, INPUT, "Where the data comes from, for figures that rest on data."
    ] = None,
) -> None:
    """Draw figures from the evidence of their claims."""
    from private_experts.replication.ledger.checking import imported_function
    from private_experts.replication.plotting.figures import save

    for name, drawing in zip(names, drawings(claim_files, names), strict=True):
        function = imported_function(f"private_experts.replication.papers.{drawing.draw}")
        tables = {claim: read_table(folder / f"{claim}.csv") for claim in drawing.claims}
        for claim, table in tables.items():
            check_columns(folder / f"{claim}.csv", table, IDLE if [*table] == [*IDLE] else EVIDENCE)
        # Where there is no chance in what is drawn, the seed is not named.
        label = (f"simulation, seed {seed}" if drawing.sampled else "numerical evaluation", False)
        if drawing.on_data:
            if provenance is None:
                raise InputError(f"claim-figures: {name} rests on data; --provenance is required")
            # of the states of its claims, where they say which
            named = (state for table in tables.values() if "state" in table for state in table["state"])
            label = data_label(provenance, dict.fromkeys(named))
        try:
            figure = function(tables)
        except KeyError as missing:  # which columns a figure needs is for the figure to know
            if all(missing.args[0] in table for table in tables.values()):
                raise
            raise InputError(
                f"{folder}: evidence of {', '.join(drawing.claims)}: {missing} is missing; {AGAIN}"
            ) from missing
        save(figure, figures / name, *label)


def ledger(
    claims: Annotated[Sequence[Path], INPUT, "The files claims/*.yaml."],
    schema: Annotated[Path, INPUT, "The schema of these files."],
    citation: Annotated[Path, INPUT, "CITATION.cff: authors, version, date and DOI."],
    provenance: Provenance,
    folder: Annotated[Path, PARAMS, "Folder of the verdicts, by the ids of the claims."],
    ledger: Annotated[Path, OUTPUT, "Gets the ledger, as JSON."],
    table: Annotated[Path, PARAMS, "Path without suffix; gets the ledger as tables."],
    quick: Annotated[bool, Config("evidence.quick"), "The claims were checked on their quick grids."] = False,
    own_config: Annotated[
        bool, FLAGS, "The config is config/study.yaml, of which verdicts on data are known."
    ] = False,
) -> None:
    """Gather all claims and verdicts into the ledger."""
    import pandas as pd

    from private_experts.replication.ledger import ledger as room
    from private_experts.replication.ledger import ledger_tables as report
    from private_experts.replication.ledger.checking import plain
    from private_experts.replication.plotting.tables import write_numbers
    from private_experts.replication.report.citation import byline

    known = room.read(claims, schema)
    pinned = read_json(provenance, ("kind",))["kind"] == "pinned"
    if not pinned:
        # The paper's numbers are expected of its own data alone.
        known = known.on_other_data()
    elif own_config:
        known = known.on_pinned_data()
    records = {name: read_json(folder / f"{name}.json", ("verdict",)) for name in known.claims}
    label, synthetic = data_label(provenance)
    about = {"data": label, "synthetic": synthetic, "pinned": pinned, "citation": byline(citation)}
    everything = {**about, **room.gathered(known, records, quick)}
    write_text(ledger, json.dumps(plain(everything), indent=1, allow_nan=False) + "\n")
    entries = everything["claims"]
    rows = report.rows(entries)
    write_numbers(table.with_suffix(".csv"), pd.DataFrame(rows), label)
    write_text(table.with_suffix(".md"), report.markdown(entries, label))


def verdicts(
    ledger: Ledger,
    counts: Annotated[Path, OUTPUT, "Gets the counts of verdicts."],
    allow_undecided: Annotated[
        bool, Config("evidence.allow_undecided"), "Accept undecided claims as expected."
    ] = False,
) -> None:
    """Count the verdicts; fail if one is not as expected."""
    from private_experts.replication.ledger import ledger_tables as report
    from private_experts.replication.ledger.verdicts import all_verdicts, surprises

    entries = read_json(ledger, ("claims",))["claims"]
    found = {entry["id"]: surprises(all_verdicts(entry), allow_undecided) for entry in entries}
    surprising = {name: verdicts for name, verdicts in found.items() if verdicts}
    if surprising:
        # After the ledger is written, so that a surprise can be looked up in it.
        names = ", ".join(f"{name} ({'; '.join(verdicts)})" for name, verdicts in surprising.items())
        raise InputError(f"claims: {len(surprising)} did not come out as expected: {names}; see claims.md")
    write_text(counts, "\n".join(report.counts(entries)) + "\n")


def report_facts(
    ledger: Ledger,
    panels: Panels,
    facts: Annotated[Path, OUTPUT, "Gets the numbers that the report's text cites."],
) -> None:
    """Write the numbers of the ledger that the replication report cites, and the weeks, in LaTeX."""
    from private_experts.replication.report import report_facts as report

    found = read_json(ledger, ("claims", "papers", "data", "pinned", "citation", "figures"))
    write_text(facts, report.facts(found, _weeks(panels)))


def _weeks(panels: Sequence[Path]) -> set[str]:
    """Return the weeks of panels."""
    return {row["week"] for panel in panels for row in read_rows(panel, ("week",))}


def page(
    ledger: Ledger,
    manifest: Annotated[Path, INPUT, "The manifest as JSON."],
    evidence: Annotated[Path, PARAMS, "Folder of the evidence, by claim."],
    logs: Annotated[Path, PARAMS, "Folder of the logs, which say what each job took."],
    paper: Annotated[Path, PARAMS, "Folder of figures/ and tables/."],
    panels: Panels,
    output: Annotated[Path, OUTPUT, "HTML file."],
) -> None:
    """Write the reviewer's page from the results of a run."""
    from urllib.parse import quote

    from jinja2 import UndefinedError

    from private_experts.replication.report.findings import PICTURE, filled
    from private_experts.replication.report.page import page_summary
    from private_experts.replication.report.page.page_document import render, view
    from private_experts.replication.report.page.sources import beside, costs, jobs, modules
    from private_experts.replication.report.scripts import of_figure
    from private_experts.replication.study.statements import ANSWERED

    claims = read_json(ledger, ("data", "synthetic", "citation", "papers", "claims", "figures"))
    record = read_json(manifest, ("code", "config", "data", "machine", "outputs", "seeds"))
    files = {claim["id"]: evidence / f"{claim['id']}.csv" for claim in claims["claims"]}
    names = [figure["name"] for figure in claims["figures"]]
    others = paper / "tables" / "own-counts-elsewhere.csv"
    idle = {claim["id"] for claim in claims["claims"] if claim["verdict"] == "not run"}

    def link(path: str) -> str:
        # Relative, since the page is moved together with the results, and quoted, as claims' ids are paths.
        return quote(os.path.relpath(path, output.parent))

    try:
        seen = view(
            claims,
            record,
            evidence={
                name: read_rows(path, IDLE if name in idle else EVIDENCE) for name, path in files.items()
            },
            evidence_files={name: path.as_posix() for name, path in files.items()},
            jobs=jobs(logs),
            costs=costs(logs),
            table_2=read_rows(paper / "tables" / "table-2.csv"),
            readings=read_rows(paper / "tables" / "readings-statements.csv", page_summary.READINGS),
            states=read_rows(paper / "tables" / "generality-statements.csv", ("statement", "mu", *ANSWERED)),
            price=read_rows(paper / "tables" / "own-counts-price.csv"),
            columns=read_rows(paper / "tables" / "patient-columns.csv"),
            weeks_played=_weeks(panels),
            # A study of few states has no others, and a table of an earlier run may be left.
            own_elsewhere=read_rows(others) if others.as_posix() in record["outputs"] else [],
            told=filled(paper / "tables"),
            picture=read_text(paper / "figures" / f"{PICTURE}.svg"),
            drawings={name: read_text(paper / "figures" / f"{name}.svg") for name in names},
            files={
                figure["name"]: [
                    *beside(figure["name"], paper),
                    *(("script", path) for path in [of_figure(figure)] if path),
                ]
                for figure in claims["figures"]
            },
            modules=modules(claim["check"] for claim in claims["claims"]),
            link=link,
        )
        text = render(seen)
    except KeyError as missing:
        raise InputError(f"{ledger}, {manifest} or a table: {missing} is missing; {AGAIN}") from missing
    except UndefinedError as missing:  # of what the templates take from the ledger as it is
        raise InputError(f"{ledger} or {manifest}: {missing}; {AGAIN}") from missing
    write_text(output, text)
