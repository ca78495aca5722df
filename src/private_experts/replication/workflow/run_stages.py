"""The stages of a whole run: the notebook, the manifest, and the last words."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.records import read_json, read_rows, read_text
from private_experts.replication.stage_cli import INPUT, PARAMS, PERSON, Config, Folder, Output
from private_experts.replication.study.formats import QUALITY
from private_experts.replication.study.stage_parameters import Ledger, Provenance


def notebook(
    source: Annotated[Path, INPUT, "In Jupytext's percent format."],
    results: Annotated[Folder, "Folder of what the run computed."],
    paper: Annotated[Folder, "Folder of its tables and figures."],
    notebook: Annotated[Output, "Gets the executed notebook."],
    page: Annotated[Output, "Gets the notebook as HTML."],
) -> None:
    """Execute the notebook on the results of a run, and write it down as such and as a page."""
    import nbformat

    from private_experts.replication.report import notebook as report
    from private_experts.replication.report.notebook_reader import PAPER_VARIABLE, RESULTS_VARIABLE

    variables = {RESULTS_VARIABLE: str(results.resolve()), PAPER_VARIABLE: str(paper.resolve())}
    executed = report.executed(source, variables)
    write_text(notebook, nbformat.writes(executed) + "\n")
    write_text(page, report.page(executed))


def manifest(
    config: Annotated[Mapping[str, Any], PARAMS, "The merged config."],
    provenance: Provenance,
    quality: Annotated[Path, INPUT, "Counts of repairs of the data."],
    states: Annotated[Sequence[str], Config("hospital.states"), "States of the study."],
    ledger: Ledger,
    evidence: Annotated[Folder, "Folder of the evidence and verdicts, by claim, as well."],
    outputs: Annotated[Sequence[Path], INPUT, "Products, whose checksums are listed."],
    intermediate: Annotated[Sequence[Path], INPUT, "Reports, panels and games, whose checksums are listed."],
    stamps: Annotated[
        Sequence[Path], INPUT, "Files that stand for the code of every stage, player, check and drawing."
    ],
    manifest: Annotated[Output, "Gets the manifest, as JSON."],
    definitions: Annotated[
        Output, "Gets all lines of the stamps, so that a plan can tell what changed since (`plan`)."
    ],
    root: Annotated[Path, PERSON, "The project's folder."] = Path(),
) -> None:
    """Write down what made the results: code, packages, machine, config, data; checksums of all results."""
    from private_experts.replication.ledger.checking import plain
    from private_experts.replication.ledger.ledger_tables import counts
    from private_experts.replication.report import job_record
    from private_experts.replication.report.manifest import collect
    from private_experts.replication.study.published import beds_difference, shape_difference

    claims = read_json(ledger, ("claims",))["claims"]
    names = [f"{claim['id']}{suffix}" for claim in claims for suffix in (".csv", ".json")]
    found = [ledger, *(evidence / name for name in names), *intermediate]
    record = collect(config, root, read_json(provenance), outputs, found, stamps)
    # What another program changed while the run went, after the check with which that began. A file whose
    # log is gone was in the manifest then, which Snakemake has removed by now.
    job_record.refuse_changes(*(Path(config["pathvars"][name]) for name in ("logs", "results", "paper")))
    rows = {row["state"]: row for row in read_rows(quality, QUALITY)}
    shapes = [(state, int(rows[state]["weeks"]), int(rows[state]["hospitals"])) for state in states]
    record["verdicts"] = counts(claims)
    least, most = (
        end(float(rows[state][f"smallest_beds_{name}"]) for state in states)
        for end, name in ((min, "least"), (max, "most"))
    )
    differences = [*(shape_difference(*shape) for shape in shapes), beds_difference(states, least, most)]
    record["data"]["shape"] = [line for line in differences if line]
    write_text(manifest, json.dumps(plain(record), indent=1, sort_keys=True, allow_nan=False) + "\n")
    # A set: definitions that several stages reach stand once.
    lines = {line for stamp in stamps for line in stamp.read_text(encoding="utf-8").splitlines()}
    write_text(definitions, "".join(f"{line}\n" for line in sorted(lines)))


def plan(
    configfile: Annotated[Sequence[Path], PERSON, "Further config files, as for snakemake."] = (),
    data: Annotated[str | None, PERSON, "Other data than the config's, as in make reproduce DATA=..."] = None,
) -> None:
    """Say which jobs a run would do and why: definitions, packages and files that changed."""
    from private_experts.replication.workflow.plan import plan_lines

    print("\n".join(plan_lines(configfile, data)))


def summary(
    manifest: Annotated[Path, PERSON, "Of the run."] = Path("results/manifest.json"),
    started: Annotated[float | None, PERSON, "When the run began, in seconds since 1970."] = None,
) -> None:
    """Say where the page lies, what data was used, if tables are as published, and how long the run took."""
    import time

    from private_experts.replication.report.checksums import PUBLISHED, made_since
    from private_experts.replication.report.summary import lines

    if not manifest.exists():
        raise InputError(f"{manifest}: no such file; run the workflow first")
    published = read_text(PUBLISHED) if PUBLISHED.exists() else ""
    content = read_json(manifest)
    print("\n".join(lines(content, published, made_since(content))))
    if started is not None:
        print(f"Time:     {time.time() - started:.0f} s")
