"""Write the tables of the documents: python docs/tables.py.

docs/map.md comes from claims/, docs/verdicts.md from claims/power.csv, docs/api.md from the library, docs/reviewers.md
and docs/performance.md from the last run.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import private_experts
from private_experts.replication.claims import ledger, power
from private_experts.replication.claims.ledger import Claim, Ledger
from private_experts.replication.claims.page.sources import costs, jobs

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def everything() -> Ledger:
    """Return all papers' claims and figures."""
    return ledger.read(sorted((ROOT / "claims").glob("[0-9]*.yaml")), ROOT / "claims/schema.yaml")


def map_table(known: Ledger) -> str:
    """Return, paper by paper, where the paper says something, the claim, what it is expected to be, and its check.

    A table of all errata, with who said each, comes last.
    """
    lines = []
    for paper, title in known.papers.items():
        lines += [f"### {paper}: {title}", "", "| paper item | claim | expected | check | figures |"]
        lines.append("| --- | --- | --- | --- | --- |")
        for claim in known.claims.values():
            if claim.paper == paper:
                shown = ", ".join(stem for stem, figure in known.figures.items() if claim.id in figure.claims)
                erratum = f" ({claim.erratum}, {known.errata[claim.erratum].label})" if claim.erratum else ""
                lines.append(
                    f"| {' '.join(claim.place.split())} | `{claim.id}`{erratum} | {claim.expected or 'observed'}"
                    f" | {_code(claim)} | {shown} |"
                )
        lines.append("")
    lines += [
        "### Errata",
        "",
        "| erratum | what | said by | severity | where it was seen |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in known.errata.values():
        anchor = f"mathematics/{each.name[1:4]}.md#{each.name.lower()}"
        cells = [f"[{each.name}]({anchor})", each.title, each.said_by, each.severity or "", each.seen]
        lines.append("| " + " | ".join(" ".join(cell.split()) for cell in cells) + " |")
    return "\n".join(lines).replace("|  |", "| |").strip()


def _code(claim: Claim) -> str:
    return f"[`{claim.check}`](../{ledger.code_of(claim)['file']})"


def costs_table(known: Ledger, logs: Path) -> str:
    """Return what each claim cost in a run; blank where it was not measured."""
    measured = costs(logs)
    lines = ["| command | expected | seconds | MB |", "| --- | --- | ---: | ---: |"]
    for claim in known.claims.values():
        cost = measured.get(claim.id)
        figures = (f"{cost.cpu:.1f}", f"{cost.megabytes:.0f}") if cost else ("", "")
        lines.append(f"| `{ledger.command_of(claim)}` | {claim.expected or 'observed'} | {' | '.join(figures)} |")
    return "\n".join(lines)


def times_table(logs: Path) -> str:
    """Return what the jobs of a run took, by rule, the longest first."""
    rules: dict[str, list[dict[str, Any]]] = {}
    for job in jobs(logs):
        rules.setdefault(job["rule"], []).append(job)
    lines = [
        "| rule | jobs | seconds | of CPU | of it to start | most MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for rule, mine in sorted(rules.items(), key=lambda item: -sum(job["cpu"] for job in item[1])):
        seconds, cpu, start = (sum(job[name] for job in mine) for name in ("seconds", "cpu", "start"))
        most = max(job["megabytes"] for job in mine)
        lines.append(f"| `{rule}` | {len(mine)} | {seconds:.1f} | {cpu:.1f} | {start:.1f} | {most:.0f} |")
    everything = [job for mine in rules.values() for job in mine]
    seconds, cpu, start = (sum(job[name] for job in everything) for name in ("seconds", "cpu", "start"))
    return "\n".join([*lines, f"| all | {len(everything)} | {seconds:.1f} | {cpu:.1f} | {start:.1f} | |"])


def api_table() -> str:
    """Return the public names of the library by package, each with the first line of its docstring."""
    lines = []
    rooms = {each.name for each in pkgutil.iter_modules(private_experts.__path__)}
    for room in sorted(rooms - {"__main__", "lazily", "replication"}):
        module = importlib.import_module(f"private_experts.{room}")
        lines += [f"## `{module.__name__}`", "", _first_line(module), "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| `{name}` | {_first_line(thing)} |" for name, thing in public(module)]
        lines.append("")
    return "\n".join(lines).strip()


def public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield what a module offers: its ``__all__``, or else what it defines; and the same of modules among that."""
    own = [name for name, each in vars(module).items() if getattr(each, "__module__", None) == module.__name__]
    for name in getattr(module, "__all__", [name for name in own if not name.startswith("_")]):
        thing = getattr(module, name)
        if isinstance(thing, ModuleType):
            yield from ((f"{name}.{inner}", each) for inner, each in public(thing))
        else:
            yield name, thing


def _first_line(thing: object) -> str:
    line = (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")
    return re.sub(r"\[(mathematics/\S+?)\]", r"[\1](\1)", line)


def power_table(rows: Iterable[power.Row]) -> str:
    """Return what became of the steps that were left out of all checks."""
    return "\n".join(
        ["| | |", "| --- | ---: |", *(f"| {what} | {many} |" for what, many in power.totals(rows).items())]
    )


def table_in(document: Path) -> str:
    """Return what stands between the marks of a document."""
    return document.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()


def put(document: Path, table: str) -> None:
    """Write a table between the marks of a document."""
    before, _, rest = document.read_text(encoding="utf-8").partition(BEGIN)
    document.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    print(document.relative_to(ROOT))


if __name__ == "__main__":
    put(ROOT / "docs/map.md", map_table(everything()))
    put(ROOT / "docs/api.md", api_table())
    put(ROOT / "docs/verdicts.md", power_table(power.read(ROOT / "claims/power.csv").values()))
    logs = ROOT / "results/logs"
    if logs.is_dir():
        put(ROOT / "docs/reviewers.md", costs_table(everything(), logs))
        put(ROOT / "docs/performance.md", times_table(logs))
    else:  # without a run, the figures that stand there are better than none
        print("docs/reviewers.md and docs/performance.md are left as they are: run make reproduce first")
