"""Write the tables of the documents: python docs/tables.py [--before LOGS].

docs/api*.md come from the library. README.md, docs/study.md, docs/readings.md, docs/threat-model.md and
docs/performance.md have figures of the last run, and paper/checksums tells its tables. What claims take is
declared in claims/, since bundles of jobs rest on it. The tables of docs/map.md are made from claims/ when
the site is built (docs/site/map_tables.py).

With the logs of another run, docs/performance.md shows from then on what its jobs took beside those of the
last run.
"""

import argparse
import ast
import doctest
import functools
import importlib
import inspect
import json
import math
import pkgutil
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

import private_experts
from private_experts.replication.ledger import ledger
from private_experts.replication.ledger.items import Item
from private_experts.replication.ledger.ledger import Claim, Ledger
from private_experts.replication.ledger.ledger_tables import relation
from private_experts.replication.ledger.ranking import falls, headlines
from private_experts.replication.ledger.verdicts import of_paper, sign, tally, verdict_label
from private_experts.replication.ledger.verdicts import statements as statements_of
from private_experts.replication.plotting.numbers import interval, level, short, with_interval
from private_experts.replication.plotting.tables import markdown
from private_experts.replication.records import read_rows
from private_experts.replication.report import checksums, findings
from private_experts.replication.report.page.sources import costs, jobs
from private_experts.replication.study import privacy_models, published, statements
from private_experts.replication.study.data import panel
from private_experts.replication.study.own_counts import (
    fixed_beds,
    own_counts_elsewhere,
    own_counts_price,
)
from private_experts.replication.study.readings import slope
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE
from private_experts.replication.study.table_2_columns import COLUMN
from private_experts.replication.workflow.workflow_inputs import SECONDS

ROOT = Path(__file__).parents[1]
BEFORE = ROOT / "docs/seconds-before.csv"  # the sums of the run that docs/performance.md compares with
COPIED = (
    "generality-statements",
    "readings-statements",
    "rw-meta-variants",
    "quality",
    "own-counts",
    "own-counts-locality",
    "own-counts-price",
    "own-counts-fixed-beds",
    "own-counts-elsewhere",
)
# Modules that are not for users.
HIDDEN = {
    "__main__",
    "arrays",
    "descriptions",
    "lazy",
    "ownership",
    "replication",
    "tabular",
    "ties",
    "validation",
}
OWN_PAGE = {"private_oco": "api-001.md", "distribution_learning": "api-003.md"}  # a paper's part
FIRST = 5  # headlines in the README
GRAVE = ("proof fails", "fatal")  # severities that headlines name
# Of Table 2, as the documents show it.
RATIOS = ("ratio_to_best_linear", "ratio_to_min_noise", "ratio_to_min_regret")
GAINS = ("rw_meta", "fresh", "hedge", "min_noise", "min_regret", "best_linear", "rw_ftpl", "central")
ITEMS = ROOT / "claims/items.yaml"
OF_RUN = (
    "README.md",
    "docs/study.md",
    "docs/readings.md",
    "docs/threat-model.md",
)  # with tables of results, by their names
APART = "variety"  # which docs/variety.py writes


def everything() -> Ledger:
    """Return all papers' claims and figures."""
    return ledger.read(sorted((ROOT / "claims").glob("[0-9]*.yaml")), ROOT / "claims/schema.yaml")


def map_of_items(known: Ledger, inventory: Iterable[Item]) -> str:
    """Return, paper by paper, each item with its claims and tests, or the reason why there are none."""
    lines = []
    for paper, title in known.papers.items():
        mine = [item for item in inventory if item.paper == paper]
        named = {claim for item in mine for claim in item.claims}
        own = [claim.id for claim in known.claims.values() if claim.paper == paper and claim.id not in named]
        lines += [f"### {paper}: {title}", "", "| item | what it says | checked by |", "| --- | --- | --- |"]
        for item in [*mine, Item(paper, "beside the paper", "Results of this project.", own)]:
            tests = [f"[`{test.partition('::')[2]}`](../{test.partition('::')[0]})" for test in item.tests]
            cell = ", ".join([*(_linked(known.claims[claim]) for claim in item.claims), *tests])
            lines.append(f"| {item.item} | {item.says} | {cell or f'({item.reason})'} |")
        lines.append("")
    return "\n".join(lines).strip()


def _linked(claim: Claim) -> str:
    """Return a claim with its erratum, as a link to the code of its check."""
    erratum = f" ({claim.erratum})" if claim.erratum else ""
    return f"[`{claim.id}`](../{ledger.code_of(claim)['file']}){erratum}"


def map_of_errata(known: Ledger) -> str:
    """Return all errata, with who said each."""
    lines = ["| erratum | what | said by | severity | where it was seen |", "| --- | --- | --- | --- | --- |"]
    for erratum in known.errata.values():
        anchor = f"mathematics/{erratum.name[1:4]}.md#{erratum.name.lower()}"
        cells = [
            f"[{erratum.name}]({anchor})",
            erratum.title,
            erratum.said_by,
            erratum.severity or "",
            erratum.seen,
        ]
        lines.append("| " + " | ".join(" ".join(cell.split()) for cell in cells) + " |")
    return "\n".join(lines).replace("|  |", "| |").strip()


def declare(claims: Path, measured: Mapping[str, float]) -> None:
    """Write into claims/*.yaml the seconds that claims took, in the file of one paper.

    What is nearly right stays, since other bundles are other jobs: chance in a measurement would make them
    run again.
    """

    def declared(entry: str) -> str:
        name = re.match(r"  - id: (\S+)", entry)
        took = measured.get(name[1]) if name else None
        if took is None:
            return entry
        before, old, after = re.split(r"(?m)^    seconds: (\S+)$", entry)
        right = abs(float(old) - took) <= 1 + took / 4
        return f"{before}    seconds: {old if right else max(1, round(took))}{after}"

    entries = re.split(r"(?m)^(?=  - id: )", claims.read_text(encoding="utf-8"))
    claims.write_text("".join(map(declared, entries)), encoding="utf-8")


def seconds_of_rules(logs: Path) -> str:
    """Return what a job of each rule took on average, as CSV: what a run in a fresh clone expects."""
    took: dict[str, list[float]] = {}
    for job in jobs(logs):
        took.setdefault(job["rule"], []).append(job["cpu"])
    lines = [f"{rule},{np.mean(seconds):.1f}" for rule, seconds in sorted(took.items())]
    return "\n".join(["rule,seconds", *lines]) + "\n"


def sums_of_rules(logs: Path) -> str:
    """Return how many jobs each rule had, and the seconds of CPU that all of them took, as CSV."""
    took = pd.DataFrame(jobs(logs)).groupby("rule")["cpu"].agg(["size", "sum"]).round(1)
    return str(took.rename(columns={"size": "jobs", "sum": "cpu"}).to_csv(lineterminator="\n"))


def times_table(logs: Path, before: Path = BEFORE) -> str:
    """Return what the jobs of a run took, by rule, the longest first, beside another run's sums if any."""
    rules: dict[str, list[dict[str, Any]]] = {}
    for job in jobs(logs):
        rules.setdefault(job["rule"], []).append(job)
    old = pd.read_csv(before, index_col="rule") if before.is_file() else pd.DataFrame({"jobs": [], "cpu": []})
    longest = sorted(rules, key=lambda rule: -sum(job["cpu"] for job in rules[rule]))
    lines = []
    for rule in [*longest, *(rule for rule in old.index if rule not in rules)]:
        mine = rules.get(rule, [])
        cells = [f"`{rule}`", *_times(mine), f"{max((job['megabytes'] for job in mine), default=0):.0f}"]
        if len(old):
            cells += [f"{old['jobs'].get(rule, 0):.0f}", f"{old['cpu'].get(rule, 0):.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    everything = [job for mine in rules.values() for job in mine]
    head = "| rule | jobs | seconds | of CPU | of it to start | most MB |"
    whole = f"| all | {' | '.join(_times(everything))} | |"
    if len(old):
        head += " jobs before | of CPU before |"
        whole += f" {old['jobs'].sum():.0f} | {old['cpu'].sum():.1f} |"
    return "\n".join([head, f"| --- |{' ---: |' * (head.count('|') - 2)}", *lines, whole])


def _times(jobs_of_rule: list[dict[str, Any]]) -> list[str]:
    """Return how many jobs there are, and their sums of seconds, for readers."""
    sums = (sum(job[name] for job in jobs_of_rule) for name in ("seconds", "cpu", "start"))
    return [str(len(jobs_of_rule)), *(f"{seconds:.1f}" for seconds in sums)]


def api_tables() -> dict[str, str]:
    """Return the library's public names by page: first the top level's, with examples, then the rest."""
    found = {module.name for module in pkgutil.iter_modules(private_experts.__path__)}
    rooms = [importlib.import_module(f"private_experts.{room}") for room in sorted(found - HIDDEN)]
    first = {
        name for name in private_experts.__all__ if not isinstance(getattr(private_experts, name), ModuleType)
    }
    lines = []
    for module in rooms:
        rows = [(name, thing) for name, thing in public(module) if name in first]
        if rows:
            lines += [
                f"### `{module.__name__}`",
                "",
                "| name | what it is | for example |",
                "| --- | --- | --- |",
            ]
            lines += [
                f"| `{name}` | {_first_line(thing)} | `{example(name, thing)}` |" for name, thing in rows
            ]
            lines.append("")
    pages = {"api.md": ["## The names that matter most", "", *lines, "## Everything else", ""]}
    for module in rooms:
        name = module.__name__.rpartition(".")[2]
        rest = [f"| `{name}` | {_first_line(thing)} |" for name, thing in public(module) if name not in first]
        if rest:
            own = OWN_PAGE.get(name)
            page = pages.setdefault(own or "api.md", [])
            heading = f"{'##' if own else '###'} `{module.__name__}`"
            page += [heading, "", _first_line(module), "", "| name | what it is |", "| --- | --- |"]
            page += [*rest, ""]
    return {page: "\n".join(text).strip() for page, text in pages.items()}


def example(name: str, thing: object) -> str:
    """Return a public name's first call in its docstring's examples, in one line; how an error is caught."""
    for line in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        for node in ast.walk(ast.parse(line.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                return ast.unparse(node).replace("|", "\\|")
            if isinstance(node, ast.ExceptHandler) and node.type and ast.unparse(node.type) == name:
                return f"except {name} as {node.name}: ..."
    raise ValueError(f"{name}: its docstring has no example that calls it")


def public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield what a module offers: its ``__all__``, or what it defines; and the same of modules among that."""
    own = [
        name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__
    ]
    for name in getattr(module, "__all__", [name for name in own if not name.startswith("_")]):
        thing = getattr(module, name)
        if isinstance(thing, ModuleType):
            yield from ((f"{name}.{inner}", member) for inner, member in public(thing))
        else:
            yield name, thing


def of_run(results: Path, paper: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each table of results, by name."""
    tables = paper / "tables"
    copied = {name: functools.partial(copied_table, tables / f"{name}.md") for name in COPIED}
    return copied | {
        "table-2": lambda: table_2(tables / "table-2.csv"),
        "table-2-ca": lambda: table_2(tables / "table-2.csv", "CA"),
        "findings": lambda: findings.markdown(findings.filled(tables)),
        "limits": lambda: limits(tables, results),
        "readings": lambda: readings(tables),
        "slope": lambda: slope.sentence(
            read_rows(tables / "table-2.csv"), read_rows(tables / "patient-columns.csv")
        ),
        "unscored": lambda: unscored(tables / "table-2.csv", results / "hospital/study/panels"),
        "own-counts-protection": lambda: protection(
            tables / "table-2.csv", results / "hospital/study/panels"
        ),
        "own-counts-in-other-states": lambda: gains_elsewhere(tables, "RW-Meta"),
        "beds-follow-patients": lambda: markdown(
            fixed_beds.follow_table(read_rows(tables / "own-counts-fixed-beds.csv"))
        ).strip(),
        "widths": lambda: widths(tables / "table-2.csv"),
        "verdicts": lambda: verdicts_table(results / "claims.json"),
        "headlines": lambda: "\n".join(headline_lines(results / "claims.json")),
        "locality": lambda: prices_table(tables / "privacy-models.csv"),
        "headlines-first": lambda: "\n".join(headline_lines(results / "claims.json")[:FIRST]),
        "conclusions": lambda: conclusions_table(results / "claims.json", tables / "readings-statements.csv"),
        "data": lambda: (
            f"*Data: {json.loads((results / 'claims.json').read_text(encoding='utf-8'))['data']}.*"
        ),
    }


def prices_table(product: Path) -> str:
    """Return what locality costs and what learners bring."""
    return markdown(privacy_models.prices(pd.read_csv(product)))


def copied_table(product: Path) -> str:
    """Return the table of a product in Markdown, without its caption."""
    lines = product.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def table_2(product: Path, *states: str) -> str:
    """Return Table 2, with the printed value of each ratio in brackets."""
    rows = []
    for row in pd.read_csv(product).to_dict("records"):
        if states and row["state"] not in states:
            continue
        printed = published.printed(row["state"], row["mu"])
        rows.append(
            {
                **({} if len(states) == 1 else {"state (hospitals)": f"{row['state']} ({row['hospitals']})"}),
                "μ": level(row["mu"]),
                **{
                    COLUMN[name].heading: f"{row[name]:.2f} ({printed.get(name, math.nan):.2f})"
                    for name in RATIOS
                },
                **{COLUMN[name].heading: with_interval(row[name], row[f"{name}_pm"], 1) for name in GAINS},
                COLUMN["best_hospital"].heading: f"{row['best_hospital']:.1f}",
            }
        )
    return markdown(pd.DataFrame(rows)).strip()


def readings(tables: Path) -> str:
    """Return the scores of the readings, each beside how far the column of patients moves it."""
    head, rule, *lines = copied_table(tables / "readings.md").splitlines()
    moved = read_rows(tables / "patient-columns-moves.csv")
    cells = ["moved by the column of patients", "---"]
    for line, row in zip(lines, moved, strict=True):
        if line.split(" | ")[:2] != [f"| {row['what']}", row["floor"]]:
            raise ValueError(f"patient-columns-moves: {row['what']}, {row['floor']} is beside {line}")
        cells.append(f"{float(row['moved']):.3f}")
    titles = head.split(" | ")
    place = titles.index("left-out score") + 1

    def beside(line: str, cell: str) -> str:
        parts = line.split(" | ")
        return " | ".join([*parts[:place], cell, *parts[place:]])

    return "\n".join(map(beside, [head, rule, *lines], cells))


def unscored(product: Path, panels: Path) -> str:
    """Return statistics that no noise or tree explains, and what missing weeks would have to bring."""
    rows = []
    for row in pd.read_csv(product).to_dict("records"):
        printed = published.printed(row["state"], row["mu"])
        if row["mu"] < math.inf or not printed:
            continue
        noise, missing = row["min_noise"], published.WEEKS - row["weeks"]
        densest = panel.read(panels / f"{row['state']}.csv").density.max(axis=1)
        rows.append(
            {
                "state": row["state"],
                "best linear / Min Noise (printed)": (
                    f"{row['best_linear'] / noise:.2f} ({printed['best_linear'] / printed['min_noise']:.2f})"
                ),
                "Min Regret / Min Noise (printed)": (
                    f"{row['min_regret'] / noise:.3f} ({printed['min_regret'] / printed['min_noise']:.3f})"
                ),
                "a hospital at random / Min Noise": f"{row['uniform'] / noise:.3f}",
                "best linear, a week": f"{row['best_linear'] / row['weeks']:.2f}",
                "a missing week would need": (
                    f"{(printed['best_linear'] - row['best_linear']) / missing:.2f}"
                ),
                "the densest hospital of the last five weeks": f"{densest[-5:].mean():.2f}",
            }
        )
    return markdown(pd.DataFrame(rows)).strip()


def widths(product: Path) -> str:
    """Return the half-widths of Table 2's intervals beside those that are printed."""
    table = pd.read_csv(product).set_index(["state", "mu"])
    names = ("rw_meta", "min_noise", "min_regret")
    rows = [
        {"state": state, "μ": level(mu)}
        | {
            COLUMN[name].heading: f"{table[f'{name}_pm'][state, mu]:.2f} ({width:.2f})"
            for name, width in zip(names, printed, strict=True)
        }
        for (state, mu), printed in published.WIDTHS.items()
    ]
    return markdown(pd.DataFrame(rows)).strip()


def gains_elsewhere(tables: Path, who: str) -> str:
    """Return in a sentence how often RW-Meta, which is called `who`, gains more on own counts."""
    here = pd.read_csv(tables / "own-counts.csv")
    here = here[np.isfinite(here["mu"])]
    lead, width = here["gain_rw_meta"], here["gain_rw_meta_pm"]
    found = own_counts_elsewhere.sentence(read_rows(tables / "own-counts-elsewhere.csv"))
    return (
        f"{who} then gains more in {(lead > width).sum()} of {len(here)} settings with privacy in the "
        f"three states, and less in {(lead < -width).sum()}; {found}. The rest is open."
    )


def limits(tables: Path, results: Path) -> str:
    """Return the summary's findings with their numbers, of a run and by kind of learners, and limits."""
    table = pd.read_csv(tables / "table-2.csv")
    read = [read_rows(tables / f"{name}.csv") for name in ("readings", "readings-statements")]
    kinds = findings.kinds_of_learners(*read)
    by_linear = int((table["best_linear"] > table["rw_meta"]).sum())
    by_hospital = int((table["best_hospital"] > table["rw_meta"]).sum())
    weeks = max(
        json.loads((results / "hospital/provenance.json").read_text(encoding="utf-8"))["weeks"].values()
    )
    elsewhere = statements.elsewhere(read_rows(tables / "generality-statements.csv"))
    answers = pd.read_csv(tables / "readings-statements.csv")
    answers = answers[(answers["floor"] == ADMISSIBLE) & (answers["statement"] == statements.BEST.name)]
    patients = json.loads((results / "hospital/provenance.json").read_text(encoding="utf-8"))["patients"]

    must, designed, where = published.CAVEAT

    def span(name: str) -> str:
        return f"{table[name].min():.2f} to {table[name].max():.2f}"

    def counts(name: str) -> str:
        return ", ".join(f"{row[name]} ({kind})" for kind, row in kinds.items())

    def privacy(mu: float) -> str:
        return "without privacy" if math.isinf(mu) else "at the strongest"

    rows = {
        "**The idea works.** The planner gains clearly more than the paper's three rivals in "
        f"{counts('agrees')} of {len(table)} settings (three states, three privacy levels and none), clearly "
        f"less in {counts('differs')}, with each of {len(kinds)} kinds of forecasts that the printed table "
        "does not tell apart.": (
            f"{weeks} of the paper's {published.WEEKS} weeks. The best of its forecasts alone gains more in "
            f"{by_linear} settings, the best single hospital in {by_hospital}: both are known in hindsight "
            f"only. At the strongest privacy it is clearly ahead in {elsewhere['agrees']} of all "
            f"{elsewhere['states']} states, behind in {elsewhere['differs']}; with each kind of forecasts "
            f"that the paper's words allow in {answers['agrees'].min()} to {answers['agrees'].max()} of the "
            f"{len(table)} settings, behind in up to {answers['differs'].max()}."
        ),
        "**By less than stated.** With the forecasts that fit the table best it gains "
        f"{span('ratio_to_min_noise')} times as much as a curator who sees all figures, and "
        f"{span('ratio_to_rw_ftpl')} times as much as the classical rival; the paper's abstract says 1.5 to "
        "3.": (
            f"The paper's own table has {span('published_ratio_to_min_noise')} over that curator, and its "
            "words need not mean every setting. Of the comparison it says that it "
            f'"{must}", since the algorithm with a curator "{designed}" ({where}). Its learners are not '
            f"specified. Gains here are of {patients} patients, its seem to be of {published.PATIENTS} ones. "
            "A curator with a better mechanism gains more than the planner. The slope is wrong: its gain "
            f"over that of the best forecast is {slope.ends(read_rows(tables / 'table-2.csv'), privacy)}. "
            "How much of that is due to forecasts and to the [column of "
            "patients](readings.md#the-column-of-patients) is open."
        ),
        "**The same promise needs less noise**, if each hospital scales it to its own beds, not to the "
        f"smallest's. {gains_elsewhere(tables, 'The planner')}": (
            "Lost is the protection beyond the promise: "
            f"{own_counts_price.sentence(read_rows(tables / 'own-counts-price.csv'))} "
            "([the whole price](#own-counts-price)). Beds are taken to be public, and they "
            "[follow patients](threat-model.md#beds)."
        ),
    }
    return "\n".join(f"- {finding} *{findings.LIMIT}* {limit}" for finding, limit in rows.items())


def protection(product: Path, panels: Path) -> str:
    """Return by state what level the two mechanisms really have, for the worst person who moves."""
    rows = []
    for state in dict.fromkeys(pd.read_csv(product)["state"]):
        beds = pd.read_csv(panels / f"{state}.beds.csv", index_col=0).to_numpy(dtype=float)
        largest, second = np.sort(1 / beds, axis=1)[:, :-3:-1].T
        moved = (np.hypot(largest, second) / largest).mean() / math.sqrt(2)
        rows.append(
            {
                "state": state,
                "move, the paper's noise": f"{moved:.2f} μ",
                "move, own counts": "1.00 μ",
            }
        )
    return markdown(pd.DataFrame(rows)).strip()


def verdicts_table(claims: Path) -> str:
    """Return how many claims of each paper have each verdict, and how many steps stand below them."""
    ran = json.loads(claims.read_text(encoding="utf-8"))
    rows = []
    for paper in (entry["paper"] for entry in ran["papers"]):
        count = tally(of_paper(ran["claims"], paper))
        more = {"not as expected": count["surprising"], "steps": count["steps"]}
        held, _, *rest = count["verdicts"].items()
        counts = dict([held]) | falls(of_paper(ran["claims"], paper)) | dict(rest)
        rows.append({"paper": paper, "claims": count["total"], **counts, **more})
    return markdown(pd.DataFrame(rows)).strip()


def headline_lines(claims: Path) -> list[str]:
    """Return the headlines in order: the verdict's sign, the words, the claim, and its erratum's gravity."""
    lines = []
    for entry in headlines(json.loads(claims.read_text(encoding="utf-8"))["claims"]):
        slip = entry["erratum"] or {}
        grave = (
            f", {slip['severity']}" if entry["verdict"] == "fails" and slip.get("severity") in GRAVE else ""
        )
        words = entry["short"][:1].upper() + entry["short"][1:]
        lines.append(f"- {sign(entry)} {words} (`{entry['id']}`{grave})")
        lines += [f"    - {sign(part)} {statements.in_words(part['name'])}" for part in statements_of(entry)]
    return lines


def conclusions_table(claims: Path, readings: Path) -> str:
    """Return the verdicts on claims about the hospitals, the point of each, and cells by other readings."""
    ran = json.loads(claims.read_text(encoding="utf-8"))
    counts = pd.read_csv(readings)
    counts = counts[counts["floor"] == "2t"]
    kinds = list(dict.fromkeys(counts["kind"]))
    titles = ["statement", "verdict", "nearest point", "bound", "at", *kinds]
    lines = [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}"]
    for claim in ran["claims"]:
        if claim["kind"] != "reproduction":
            continue
        for part in statements_of(claim) or [{**claim, "name": ""}]:
            worst = part.get("worst") or {}
            places = (name for name in ("state", "mu", "epsilon", "model", "other") if name in worst)
            where = ", ".join(f"{name} = {short(worst[name])}" for name in places)
            value = bound = ""
            if worst:
                ends = interval(worst["low"], worst["high"])
                # An exact value has no interval.
                value = f"{short(worst['value'])} {ends}" if ends.startswith("[") else short(worst["value"])
                bound = f"{relation(worst)} {short(worst['bound'])}"
            mine = counts[counts["statement"] == part["name"]].set_index("kind")
            answers = [
                mine.loc[kind, ["agrees", "differs", "undecided"]] if kind in mine.index else []
                for kind in kinds
            ]
            words = statements.in_words(part["name"]) or " ".join(claim["statement"].split())
            cells = [f"{words} (`{claim['id']}`)", verdict_label(part), value, bound, where]
            lines.append(f"| {' | '.join([*cells, *(' / '.join(map(str, count)) for count in answers)])} |")
    return "\n".join(lines)


def _first_line(thing: object) -> str:
    line = (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")
    return re.sub(r"\[(mathematics/\S+?)\]", r"[\1](\1)", line)


def marks(name: str) -> tuple[str, str]:
    """Return the comments between which a table of this name stands."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def table_in(document: Path, name: str = "table") -> str:
    """Return what stands between the marks of a document."""
    begin, end = marks(name)
    return document.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()


def put(document: Path, table: str, name: str = "table") -> None:
    """Write a table between the marks of a document."""
    begin, end = marks(name)
    before, _, rest = document.read_text(encoding="utf-8").partition(begin)
    document.write_text(f"{before}{begin}\n\n{table}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")
    print(f"{document.relative_to(ROOT)}: {name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the tables of the documents.")
    parser.add_argument(
        "--before", type=Path, metavar="LOGS", help="logs of the run to compare the last one with"
    )
    if other := parser.parse_args().before:
        BEFORE.write_text(sums_of_rules(other), encoding="utf-8")
    for page, table in api_tables().items():
        put(ROOT / "docs" / page, table)
    logs = ROOT / "results/logs"
    if (ROOT / "results/manifest.json").exists():
        manifest = json.loads((ROOT / "results/manifest.json").read_text(encoding="utf-8"))
        # of other data nobody could make the same tables from a clone
        if manifest["data"]["kind"] == "pinned":
            (ROOT / checksums.PUBLISHED).write_text(checksums.text(manifest), encoding="utf-8")
            print(checksums.PUBLISHED)
        put(ROOT / "docs/performance.md", times_table(logs))
        (ROOT / SECONDS).write_text(seconds_of_rules(logs), encoding="utf-8")
        for papers in sorted((ROOT / "claims").glob("0*.yaml")):
            declare(papers, {name: cost.cpu for name, cost in costs(logs).items()})
        found = of_run(ROOT / "results", ROOT / "paper")
        for name in OF_RUN:
            for table in re.findall(
                "<!-- ([a-z0-9-]+): begin -->", (ROOT / name).read_text(encoding="utf-8")
            ):
                if table != APART:
                    put(ROOT / name, found[table](), table)
        for picture in sorted((ROOT / "docs/pictures").glob("*.png")):
            shutil.copyfile(ROOT / "paper/figures" / picture.name, picture)
    else:  # without a run, the figures that stand there are better than none
        print("The figures of the last run are left as they are: run make reproduce first")
