r"""Where each number of a paper is from: a list at its end, to which its numbers, tables and figures lead.

What writes a number says there which tables of the run or which claim it is of (`latex.traced`). As LaTeX
meets it, it notes that in its .aux file, as it does with citations, and the list is made of these notes. It
names what a reader can open, by paths of the repository: the file with the number, the script that computes
it, and the rule that calls this. The log of a job says which files its rule made.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from private_experts.replication.plotting.latex import breakable, linked
from private_experts.replication.report import scripts
from private_experts.replication.report.report_facts import DATA, LEDGER, WEEKS

_NOTED = re.compile(r"^\\source\{([^}]*)\}\{(\d+)\}\{(.*)\}$", re.MULTILINE)
_WROTE = re.compile(r"^wrote \w+ (.+)$", re.MULTILINE)
_RULE = re.compile(r"^ *rule (\w+):", re.MULTILINE)
_WHOLE = {
    "table": r"\begin ",
    "figure": r"\includegraphics ",
    "strip of weeks": r"\lacks ",
    "name": r"\texttt ",
}  # what the list does not repeat, and what it has
# Of what is neither a table nor a figure. The panels of the three states have the same weeks.
_FILES = {
    LEDGER: "paper/claims.csv",
    DATA: "paper/data.json",
    WEEKS: "results/hospital/study/panels/CA.csv",
}
_LONG = 60  # letters; of what is longer the list repeats the beginning


def makers(results: Path) -> dict[str, str]:
    """Return by the path of each file that a run wrote the rule that wrote it."""
    logs = results / "logs"
    found: dict[str, str] = {}
    for log in sorted(logs.rglob("*.log")):
        rule = log.relative_to(logs).with_suffix("").parts[0].replace("-", "_")
        found |= dict.fromkeys(_WROTE.findall(log.read_text(encoding="utf-8", errors="replace")), rule)
    return found


def homes(rules: Path) -> dict[str, str]:
    """Return by the name of each rule the file that has it."""
    return {
        rule: path.as_posix()
        for path in sorted(rules.glob("*.smk"))
        for rule in _RULE.findall(path.read_text(encoding="utf-8"))
    }


def listed(noted: str, results: Path, rules: Path = Path("workflow/rules")) -> str:
    """Return the list, as LaTeX, from what was noted in an .aux file and what the logs of a run say."""
    made, kept = makers(results), homes(rules)
    cited: dict[str, list[tuple[str, str]]] = {}
    for sources, page, words in dict.fromkeys(_NOTED.findall(noted)):
        cited.setdefault(sources, []).append((page, words))
    lines = [
        rf"\item\phantomsection\label{{source:{sources}}}"
        rf"{'; '.join(_made(name, made, kept) for name in sources.split('+'))}: "
        rf"{'; '.join(_shown(*place) for place in places)}."
        for sources, places in cited.items()
    ]
    return "\n".join([r"\begin{itemize}", *lines, r"\end{itemize}", ""])


def _shown(page: str, words: str) -> str:
    """Return a number as it stands and where; a table or figure by its page."""
    whole = [name for name, sign in _WHOLE.items() if sign in words]
    plain = words.strip()
    long = len(plain) > _LONG and "\\" not in plain
    brief = f"the {whole[0]}" if whole else rf"{plain[:_LONG].rstrip()} \dots" if long else plain
    return rf"{brief} on page~\hyperlink{{page.{page}}}{{{page}}}"


def _made(name: str, made: Mapping[str, str], kept: Mapping[str, str]) -> str:
    rests = rf"\csname rests@{name}\endcsname"
    if "/" in name and not name.startswith("figures/"):
        return rests
    file = _FILES.get(name) or (f"paper/{name}.pdf" if "/" in name else f"paper/tables/{name}.csv")
    parts = [linked(file)]
    if script := scripts.of_table(name):
        parts.append(f"computed by {linked(script)}")
    if (rule := made.get(file)) and rule in kept:
        parts.append(rf"rule \texttt{{{breakable(rule)}}} of {linked(kept[rule])}")
    return ", ".join(parts) + (rf"\ifcsname rests@{name}\endcsname, {rests}\fi" if "/" in name else "")
