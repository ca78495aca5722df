r"""Where each number of a paper is from: a list at its end, to which its numbers, tables and figures lead.

What writes a number says there which tables of the run or which claim it is of (`latex.traced`). As LaTeX
meets it, it notes that in its .aux file, as it does with citations, and the list is made of these notes. The
log of a job has the files that its rule made, and the name of a code stamp where the code of a rule is.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from private_experts.replication.plotting.latex import breakable, linked
from private_experts.replication.report.report_facts import DATA, LEDGER, SOURCES

_NOTED = re.compile(r"^\\source\{([^}]*)\}\{(\d+)\}\{(.*)\}$", re.MULTILINE)
_WROTE = re.compile(r"^wrote \w+ (.+)$", re.MULTILINE)
_WHOLE = {
    "table": r"\begin ",
    "figure": r"\includegraphics ",
}  # what the list does not repeat, and what it has
_FILES = {LEDGER: "claims.csv", DATA: "data.json"}  # of what is neither a table nor a figure


def makers(results: Path) -> dict[str, str]:
    """Return by the path of each file that a run wrote the rule that wrote it."""
    logs = results / "logs"
    found: dict[str, str] = {}
    for log in sorted(logs.rglob("*.log")):
        rule = log.relative_to(logs).with_suffix("").parts[0].replace("-", "_")
        found |= dict.fromkeys(_WROTE.findall(log.read_text(encoding="utf-8", errors="replace")), rule)
    return found


def listed(noted: str, paper: Path, results: Path) -> str:
    """Return the list, as LaTeX, from what was noted in an .aux file and what the logs of a run say."""
    rules = makers(results)
    cited: dict[str, list[tuple[str, str]]] = {}
    for sources, page, words in dict.fromkeys(_NOTED.findall(noted)):
        cited.setdefault(sources, []).append((page, words))
    lines = [
        rf"\item\phantomsection\label{{source:{sources}}}"
        rf"{'; '.join(_made(name, paper, results, rules) for name in sources.split('+'))}: "
        rf"{'; '.join(_shown(*place) for place in places)}."
        for sources, places in cited.items()
    ]
    return "\n".join([r"\begin{itemize}", *lines, r"\end{itemize}", ""])


def _shown(page: str, words: str) -> str:
    """Return a number as it stands and where; a table or figure by its page."""
    whole = [name for name, sign in _WHOLE.items() if sign in words]
    brief = f"the {whole[0]}" if whole else words.strip()
    return rf"{brief} on page~\hyperlink{{page.{page}}}{{{page}}}"


def _made(name: str, paper: Path, results: Path, rules: Mapping[str, str]) -> str:
    rests = rf"\csname rests@{name}\endcsname"
    if "/" in name and not name.startswith("figures/"):
        return rests
    file = _FILES.get(name) or (f"{name}.pdf" if "/" in name else f"tables/{name}.csv")
    parts = [linked(file, file)]
    if rule := rules.get(str(paper / file)):
        scripts = [path.name.split(".")[:-2] for path in (results / "code").glob(f"*.{rule}.txt")]
        code = [f"src/private_experts/{'/'.join(script)}.py" for script in scripts]
        parts += [
            rf"by rule \texttt{{{breakable(rule)}}}",
            *(linked(f"../{path}", path.removeprefix(SOURCES)) for path in code),
        ]
    return ", ".join(parts) + (rf"\ifcsname rests@{name}\endcsname, of {rests}\fi" if "/" in name else "")
