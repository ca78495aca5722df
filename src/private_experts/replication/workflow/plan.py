"""What a run would do and why: Snakemake's dry run in few lines, with the definitions that changed."""

import functools
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from private_experts.errors import PROGRAM
from private_experts.replication.report.machine import usable_cores
from private_experts.replication.study.data.source import unread_variable
from private_experts.replication.verify.code_origin import refuse_cause
from private_experts.replication.verify.reader_report import width
from private_experts.replication.workflow import settled
from private_experts.replication.workflow.run_lock import hold
from private_experts.replication.workflow.user_environment import provide_user

FEW, WIDE = 5, 160  # jobs that are named before the rest is counted, characters in a line at most
NOTHING = "Nothing would run."
FOLLOWS = "after others of these jobs"


def plan_lines(configfiles: Sequence[Path] = (), data: str | None = None) -> list[str]:
    """Return which jobs a run would do, cause by cause; end where Snakemake cannot plan, as during a run."""
    if warning := unread_variable():
        print(f"{PROGRAM}: {warning}", file=sys.stderr)
    before = settled.state(configfiles, data)
    if settled.is_settled(before):
        hold(Path(".snakemake"))  # or a run is under way
        return [NOTHING]
    from private_experts.replication.workflow import config as configuration

    for path in configfiles:
        configuration.read(path)
    provide_user()
    words = [
        sys.executable,
        "-P",
        "-m",
        "snakemake",
        "--dry-run",
        "--printshellcmds",
        "--cores",
        str(usable_cores()),
    ]
    words += ["--configfile", *map(str, configfiles)] if configfiles else []
    words += ["--config", configuration.taking(data)] if data else []
    output = _dry_run(words)
    if not (pending := _reasons(output)):
        settled.settle(before, configfiles, data)
        return [NOTHING]
    because: dict[str, dict[str, list[str]]] = {}
    for job, reason in sorted(pending.items()):  # Snakemake has another order each time
        rule, _, which = job.partition(" ")
        for cause in dict.fromkeys(_causes(reason)) or [FOLLOWS]:
            because.setdefault(cause, {}).setdefault(rule, []).append(which)
    wide = min(WIDE, width())
    lines = [f"{len(pending)} jobs would run."]
    follow = [
        rule if len(which) == 1 else f"{len(which)} {rule}"
        for rule, which in because.pop(FOLLOWS, {}).items()
    ]
    for cause, rules in because.items():
        lines += ["", textwrap.shorten(cause, wide), *(_line_of(*rule)[:wide] for rule in rules.items())]
    lines += [
        "",
        FOLLOWS,
        textwrap.fill(", ".join(follow), wide, initial_indent="    ", subsequent_indent="    "),
    ]
    return lines if follow else lines[:-3]


def _dry_run(words: Sequence[str]) -> str:
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    process = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, env=environment)
    if process.returncode:
        refuse_cause(Path("requirements.lock"))
        print(process.stderr, end="", file=sys.stderr)
        raise SystemExit(process.returncode)
    return process.stdout + process.stderr


def _reasons(dry_run: str) -> dict[str, str]:
    """Return why each job would run, by its rule and wildcards, in Snakemake's words."""
    reasons = {}
    for block in re.split(r"^(?:local)?rule (?=\w+:$)", dry_run, flags=re.MULTILINE)[1:]:
        fields = dict(re.findall(r"^    (wildcards|reason): (.*)$", block, re.MULTILINE))
        rule = re.sub(r"^(checks|claim_figures)_", r"\1 ", block.partition(":")[0])
        wildcards = "/".join(re.findall(r"=([^,]+)", fields.get("wildcards", "")))
        reasons[f"{rule} {wildcards}".rstrip()] = fields.get("reason", "")
    # Snakemake lists the target rule as a job of its own.
    reasons.pop("all", None)  # which only gathers the others
    return reasons


def _causes(reason: str) -> Iterator[str]:
    """Yield what the reason for a job names: files before anything else."""
    for files in re.findall(r"Updated input files: ([^;]*)", reason):
        for path in map(Path, files.split(", ")):
            yield from _of_stamp(path) if path.parent.name == "code" else [f"file {path} changed"]
    for words, means in {
        "Missing output": "never made, or removed",
        "Incomplete output": "begun and not ended",
        "Set of input files has changed": "other input files than before",
        "Code has changed": "the rule has another command",
        "Params have changed": "its keys of the config, or its claims, changed",
    }.items():
        if words in reason:
            yield means


@functools.cache
def _of_stamp(path: Path) -> list[str]:
    """Return which lines of a stamp are others than when the last complete run ended."""
    definitions = path.parent.with_name("definitions.txt")
    if not definitions.is_file():
        return [f"code of {path.stem}"]
    before, now = (
        dict(line.split(" ", 1) for line in stamp.read_text(encoding="utf-8").splitlines())
        for stamp in (definitions, path)
    )
    new = [name for name, value in now.items() if before.get(name) != value]
    if path.stem == "packages":
        return [f"package {name}: {before.get(name, 'none')} -> {now[name]}" for name in new]
    # A definition that changed explains those that it calls now.
    changed = [name for name in new if name in before] or new
    return [f"{name} changed" for name in changed] or [
        f"code of {path.stem}, which is as the last complete run had it"
    ]


def _line_of(rule: str, which: Sequence[str]) -> str:
    names = ", ".join(filter(None, which[:FEW])) + (f" and {len(which) - FEW} more" if which[FEW:] else "")
    return f"    {rule}: {names}".rstrip(": ")
