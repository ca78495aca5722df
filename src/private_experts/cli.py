"""The command line: one subcommand a stage of the workflow, called by the rules and by people alike.

This module only parses; what a stage does is in `private_experts.stages`. It is left out of the code fingerprints,
because the words of a command are tracked by the workflow itself.
"""

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from private_experts import stages
from private_experts.errors import PROGRAM, told_in_one_line

# One thread a job: jobs run side by side, and results must not depend on the number of cores.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def _strength(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if not re.fullmatch("[a-z][a-z0-9-]*", name):
        raise ValueError(f"{name!r} is no name")
    return name, float(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Private online learning: the stages of the study.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def stage(name: str, words: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=words, description=words)
        command.set_defaults(stage=getattr(stages, name.replace("-", "_")))
        return command

    reports = stage("reports", "Get hospital reports: from a file, the public data set, or a generator.")
    reports.add_argument("--source", choices=["auto", "healthdata", "file", "synthetic"], required=True)
    reports.add_argument("--columns", nargs="+", required=True, metavar="NAME", help="figures to keep")
    reports.add_argument("--file", type=Path, help="CSV of reports, plain or gzipped")
    reports.add_argument("--cache", type=Path, help="where a download is kept")
    reports.add_argument("--query", default="{}", help="what to download, as JSON")
    reports.add_argument("--sha256", help="what the download must have")
    reports.add_argument("--states", nargs="+", default=[], help="states to make up")
    reports.add_argument("--weeks", type=int, default=148, help="weeks to make up")
    reports.add_argument("--seed", type=int, default=1, help="seed of what is made up")
    reports.add_argument("--output", type=Path, required=True)
    reports.add_argument("--provenance", type=Path, required=True)

    panels = stage("panels", "Clean reports to one panel (weeks x hospitals) a state.")
    panels.add_argument("--reports", type=Path, required=True)
    panels.add_argument("--states", nargs="+", required=True)
    panels.add_argument("--required", nargs="*", default=[], help="states that must be there")
    panels.add_argument("--folder", type=Path, required=True, help="gets a CSV a state")
    panels.add_argument("--quality", type=Path, required=True, help="gets the counts of repairs")
    for purpose in ("patients", "beds", "participation"):
        panels.add_argument(f"--{purpose}", nargs="+", required=True, metavar="COLUMN", help="in order of preference")
    panels.add_argument("--suppressed-value", type=float, default=2.0, help="what a suppressed figure is taken for")
    panels.add_argument("--participation-minimum", type=float, default=100.0)
    panels.add_argument("--smallest-beds", type=float, default=0.0)
    panels.add_argument("--first-week", default="2020-08-07")
    panels.add_argument("--last-week", default="2023-06-04")

    for name, words in {
        "rw-ftpl": "Play RW-FTPL on a panel.",
        "rw-meta": "Play RW-Meta and its learners on a panel.",
        "tree-ftpl": "Play the dyadic-tree baseline (Min Noise, Min Regret) on a panel.",
        "yardsticks": "Play follow-the-leader and uniform choice on a panel.",
        "private-leaders": "Play the algorithms of papers 002 and 004 on a panel.",
    }.items():
        game = stage(name, words)
        game.add_argument("--panel", type=Path, required=True)
        game.add_argument("--state", required=True, help="names the randomness")
        game.add_argument("--privacy-levels", type=float, nargs="+", required=True, metavar="MU", help="inf is none")
        game.add_argument("--repetitions", type=int, required=True)
        game.add_argument("--seed", type=int, required=True)
        game.add_argument("--adjacency", choices=["move", "removal"], default="move")
        game.add_argument("--totals", type=Path, required=True, help="gets every repetition's total gain")
        game.add_argument("--curves", type=Path, required=True, help="gets the mean cumulative gain by week")
        if name == "rw-meta":
            game.add_argument("--family", choices=["trend", "gaussian-process", "autoregression"], default="trend")
            game.add_argument("--windows", type=int, nargs="+", required=True)
            game.add_argument("--strengths", type=_strength, nargs="+", required=True, metavar="NAME=WEIGHT")

    products = {
        "table-2": "Write Table 2.",
        "figure-2": "Draw Figure 2.",
        "generality": "Write and draw the study of all states.",
        "sensitivity": "Write the table of one choice that the paper leaves open.",
        "rw-meta-variants": "Write the table of RW-Meta's variants.",
        "privacy-models": "Write and draw what each privacy model buys.",
    }
    for name, words in products.items():
        product = stage(name, words)
        records = "curves" if name == "figure-2" else "totals"
        product.add_argument(f"--{records}", type=Path, nargs="+", required=True)
        product.add_argument("--panels", type=Path, nargs="+", required=True)
        product.add_argument("--provenance", type=Path, required=True)
        product.add_argument("--output", type=Path, required=True, help="path without suffix")
        if name != "figure-2":
            product.add_argument("--confidence", type=float, default=0.95)
        if name == "generality":
            product.add_argument("--smallest", type=int, default=10, help="smallest number of hospitals")
            product.add_argument("--statements", type=Path, required=True, help="path without suffix")
        if name in ("generality", "privacy-models"):
            product.add_argument("--figure", type=Path, required=True, help="path without suffix")
        if name == "sensitivity":
            product.add_argument("--choice", required=True)
            product.add_argument("--scenarios", nargs="+", required=True, help="the study first")

    sizes = stage("batch-sizes", "Compute and simulate the laws of RW-AdaBatch's batch sizes.")
    sizes.add_argument("--privacy-levels", type=float, nargs="+", required=True, metavar="MU")
    sizes.add_argument("--horizon", type=int, required=True, help="number of rounds")
    sizes.add_argument("--rounds", type=int, nargs="+", required=True, help="rounds of the data in question")
    sizes.add_argument("--gaps", type=float, nargs="*", default=[], help="gaps of further, easier streams")
    sizes.add_argument("--repetitions", type=int, required=True)
    sizes.add_argument("--computed", type=Path, required=True, help="gets the laws that are computed")
    sizes.add_argument("--simulated", type=Path, required=True, help="gets every repetition's batch sizes")

    costs = stage("batched-games", "Play RW-FTPL and RW-AdaBatch on the streams.")
    costs.add_argument("--horizons", type=int, nargs="+", required=True, help="numbers of rounds")
    costs.add_argument("--play-repetitions", type=int, required=True)
    costs.add_argument("--switches", type=Path, required=True, help="gets every repetition's switches")
    costs.add_argument("--regrets", type=Path, required=True, help="gets every repetition's regrets")
    for command in (sizes, costs):
        command.add_argument("--experts", type=int, required=True, metavar="N")
        command.add_argument("--alpha", type=float, required=True, help="tolerance of RW-AdaBatch")
        command.add_argument("--seed", type=int, required=True)

    hospitals = stage("hospital-batches", "Play RW-AdaBatch on a panel.")
    hospitals.add_argument("--panel", type=Path, required=True)
    hospitals.add_argument("--state", required=True, help="names the randomness")
    hospitals.add_argument("--privacy-levels", type=float, nargs="+", required=True, metavar="MU")
    hospitals.add_argument("--repetitions", type=int, required=True)
    hospitals.add_argument("--seed", type=int, required=True)
    hospitals.add_argument("--adjacency", choices=["move", "removal"], default="move")
    hospitals.add_argument("--alpha", type=float, required=True, help="tolerance of RW-AdaBatch")
    hospitals.add_argument("--weeks", type=Path, required=True, help="gets the mean batch sizes by week")
    hospitals.add_argument("--totals", type=Path, required=True, help="gets every repetition's total gain")

    pictures = {
        "figure-1": ("Draw Figure 1 and write its tables.", ["computed", "simulated"]),
        "figure-batch-sizes": ("Draw the laws of batch sizes.", ["computed", "simulated"]),
        "figure-amplification": (
            "Draw amplification on easy streams and on the hospitals.",
            ["computed", "simulated", "weeks", "totals"],
        ),
        "figure-batching-costs": ("Draw switches and regret.", ["switches", "regrets"]),
    }
    for name, (words, kinds) in pictures.items():
        picture = stage(name, words)
        for record in kinds:
            picture.add_argument(f"--{record}", type=Path, nargs="+", required=True)
        if name == "figure-amplification":
            picture.add_argument("--provenance", type=Path, required=True)
        if name != "figure-batching-costs":
            picture.add_argument("--horizon", type=int, required=True)
        picture.add_argument("--alpha", type=float, required=True)
        picture.add_argument("--confidence", type=float, default=0.95)
        picture.add_argument("--seed", type=int, required=True, help="what the simulations were made with")
        picture.add_argument("--figures", type=Path, required=True, help="folder")
        picture.add_argument("--tables", type=Path, required=True, help="folder")

    quality = stage("quality", "Write the table of repairs.")
    quality.add_argument("--quality", type=Path, required=True)
    quality.add_argument("--provenance", type=Path, required=True)
    quality.add_argument("--output", type=Path, required=True, help="path without suffix")

    claim = stage("claim", "Check one claim.")
    claim.add_argument("--check", required=True, help="module:function in private_experts.checks")
    claim.add_argument("--grid", default="{}", help="parameters, as JSON")
    claim.add_argument("--repetitions", type=int, default=2, help="how many to start with")
    claim.add_argument("--cap", type=int, default=2, help="how many at most while undecided")
    claim.add_argument("--seed", type=int, required=True)
    claim.add_argument("--panels", type=Path, nargs="*", default=[])
    claim.add_argument("--table", type=Path, help="Table 2 as CSV")
    claim.add_argument("--provenance", type=Path)
    claim.add_argument("--real-data-only", action="store_true")
    claim.add_argument("--code", type=Path, help="what stands for the check's code, to be named in the verdict")
    claim.add_argument("--evidence", type=Path, required=True, help="gets a row a grid point")
    claim.add_argument("--verdict", type=Path, required=True, help="gets the verdict, as JSON")

    figure = stage("claim-figure", "Draw a figure from the evidence of claims.")
    figure.add_argument("--draw", required=True, help="module:function in private_experts.report.evidence_figures")
    figure.add_argument("--claims", nargs="+", required=True, metavar="ID")
    figure.add_argument("--evidence", type=Path, required=True, help="folder of the evidence")
    figure.add_argument("--seed", type=int, required=True, help="what the evidence was made with")
    figure.add_argument("--provenance", type=Path, help="where the data comes from, when a claim rests on data")
    figure.add_argument("--output", type=Path, required=True, help="path without suffix")

    ledger = stage("ledger", "Gather all claims and verdicts.")
    ledger.add_argument("--claims", type=Path, nargs="+", required=True, help="claims/*.yaml")
    ledger.add_argument("--schema", type=Path, default=Path("claims/schema.yaml"))
    ledger.add_argument("--verdicts", type=Path, required=True, help="folder of the verdicts")
    ledger.add_argument("--provenance", type=Path, required=True)
    ledger.add_argument("--quick", action="store_true", help="the claims were checked on their quick grids")
    ledger.add_argument("--output", type=Path, required=True, help="gets the ledger, as JSON")
    ledger.add_argument("--table", type=Path, required=True, help="path without suffix")

    verdicts = stage("verdicts", "Count the verdicts; refuse when one is not as expected.")
    verdicts.add_argument("--ledger", type=Path, required=True)
    verdicts.add_argument("--allow-undecided", action="store_true")
    verdicts.add_argument("--output", type=Path, required=True)

    listed = stage("claims", "List the claims of the papers, and what came of them.")
    listed.add_argument("--paper", help="such as 000")
    listed.add_argument("--verdict", help="holds, fails, undecided, not-run or unknown")
    verify = stage("verify", "Recompute one claim by itself, and print its evidence and verdict.")
    verify.add_argument("claim", metavar="CLAIM_ID", help="such as 000/theorem-1; `claims` lists them")
    verify.add_argument("--repetitions", type=int, metavar="N", help="instead of the claim's own number")
    verify.add_argument(
        "--seed", type=int, metavar="S", help="instead of the study's: another seed is another experiment"
    )
    verify.add_argument("--quick", action="store_true", help="the smaller grid of the smoke run")
    verify.add_argument("--evidence", type=Path, metavar="CSV", help="write the evidence to this file too")
    for desk in (listed, verify):
        desk.add_argument("--root", type=Path, help="the project's folder; this clone unless told")
        desk.add_argument("--results", type=Path, help="folder of the results; ROOT/results unless told")

    claims_tex = stage("claims-tex", "Write the ledger in LaTeX.")
    claims_tex.add_argument("--ledger", type=Path, required=True)
    claims_tex.add_argument("--output", type=Path, required=True, help="gets the claims")
    claims_tex.add_argument("--errata", type=Path, required=True)
    claims_tex.add_argument("--pictures", type=Path, required=True, help="gets the figures")
    claims_tex.add_argument("--facts", type=Path, required=True, help="gets what the report's prose cites")

    notebook = stage("notebook", "Execute the notebook.")
    notebook.add_argument("--source", type=Path, required=True, help="in Jupytext's percent format")
    notebook.add_argument("--results", type=Path, required=True, help="folder of the run's results")
    notebook.add_argument("--paper", type=Path, required=True, help="folder of its tables and figures")
    notebook.add_argument("--output", type=Path, required=True, help="gets the notebook")
    notebook.add_argument("--page", type=Path, required=True, help="gets it as HTML")

    manifest = stage("manifest", "Write down what made the results.")
    manifest.add_argument("--config", required=True, help="the merged config, as JSON")
    manifest.add_argument("--root", type=Path, default=Path())
    manifest.add_argument("--provenance", type=Path, required=True)
    manifest.add_argument("--quality", type=Path, required=True)
    manifest.add_argument("--states", nargs="+", required=True, help="states of the study, for the data's shape")
    manifest.add_argument("--ledger", type=Path, required=True)
    manifest.add_argument("--outputs", type=Path, nargs="+", required=True)
    manifest.add_argument("--stamps", type=Path, nargs="+", required=True)
    manifest.add_argument("--output", type=Path, required=True)

    page = stage("page", "Write the reviewer's page.")
    page.add_argument("--ledger", type=Path, required=True)
    page.add_argument("--manifest", type=Path, required=True)
    page.add_argument("--evidence", type=Path, required=True, help="folder of the evidence, by claim")
    page.add_argument("--benchmarks", type=Path, required=True, help="folder of what each job took")
    page.add_argument("--paper", type=Path, required=True, help="folder of figures/ and tables/")
    page.add_argument("--output", type=Path, required=True, help="HTML file")

    summary = stage("summary", "Say what data was used and where the results lie.")
    summary.add_argument("--manifest", type=Path, default=Path("results/manifest.json"))
    summary.add_argument("--started", type=float, help="when the run began, in seconds since 1970")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns
    -------
    int
        0, or what the command returns (``verify`` and ``claims`` tell a verdict by it); when a person can mend what
        went wrong, one line on standard error says what, and the exit code is 2.
    """
    options = vars(_parser().parse_args(arguments))
    stage, _ = options.pop("stage"), options.pop("command")
    if "strengths" in options:
        options["strengths"] = dict(options["strengths"])
    for variable in THREADS:  # before NumPy loads, which the stages do
        os.environ[variable] = "1"
    with told_in_one_line():
        code = stage(**options)
    return code or 0
