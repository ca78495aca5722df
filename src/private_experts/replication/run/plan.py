"""What a run would do and why: Snakemake's dry run in few lines, with the definitions and keys that changed."""

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

FEW, WIDE = 5, 160  # jobs that are named before the rest is counted, characters in a line
FOLLOWS = "after others of these jobs"


def lines(configfiles: Sequence[Path] = ()) -> list[str]:
    """Return which jobs a run would do, cause by cause.

    Raises
    ------
    SystemExit
        When Snakemake cannot plan a run, as while one is under way; it has then said why.
    """
    words = [sys.executable, "-m", "snakemake", "--dry-run", "--printshellcmds"]
    words += ["--configfile", *map(str, configfiles)] if configfiles else []
    # Of a job whose files and params have changed Snakemake names the files alone, so it is asked for the params too.
    pending, by_params = (_reasons(_said(each)) for each in (words, [*words, "--rerun-triggers", "params"]))
    because: dict[str, dict[str, list[str]]] = {}
    for job, reason in pending.items():
        rule, _, which = job.partition(" ")
        found = [*_causes(reason), *_of_params(by_params.get(job, ""))]
        for cause in dict.fromkeys(found) or [FOLLOWS]:
            because.setdefault(cause, {}).setdefault(rule, []).append(which)
    if not because:
        return ["Nothing would run."]
    said = [f"{len(pending)} jobs would run."]
    follow = [rule if len(which) == 1 else f"{len(which)} {rule}" for rule, which in because.pop(FOLLOWS, {}).items()]
    for cause, rules in because.items():
        said += ["", textwrap.shorten(cause, WIDE), *(_named(rule, which) for rule, which in rules.items())]
    said += ["", FOLLOWS, textwrap.fill(", ".join(follow), WIDE, initial_indent="    ", subsequent_indent="    ")]
    return said if follow else said[:-3]


def _said(words: Sequence[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, end="", file=sys.stderr)
        raise SystemExit(done.returncode)
    return done.stdout + done.stderr


def _reasons(dry_run: str) -> dict[str, str]:
    """Return why each job would run, by its rule and wildcards, in Snakemake's words."""
    found = {}
    for block in re.split(r"^(?:local)?rule (?=\w+:$)", dry_run, flags=re.MULTILINE)[1:]:
        said = dict(re.findall(r"^    (wildcards|reason): (.*)$", block, re.MULTILINE))
        rule = re.sub(r"^(checks|claim_figures)_", r"\1 ", block.partition(":")[0])
        wildcards = "/".join(re.findall(r"=([^,]+)", said.get("wildcards", "")))
        found[f"{rule} {wildcards}".rstrip()] = said.get("reason", "")
    found.pop("all", None)  # which only gathers the others
    return found


def _causes(reason: str) -> Iterator[str]:
    """Yield what the reason for a job names, params apart."""
    for files in re.findall(r"Updated input files: ([^;]*)", reason):
        for path in map(Path, files.split(", ")):
            yield from _of_stamp(path) if path.parent.name == "code" else [f"file {path} changed"]
    for words, means in {
        "Missing output": "never made, or removed",
        "Set of input files has changed": "other input files than before",
        "Code has changed": "the rule has another command",
    }.items():
        if words in reason:
            yield means


def _of_stamp(path: Path) -> Iterator[str]:
    """Yield which lines of a stamp are others than when the last complete run ended."""
    kept = path.parent.with_name("definitions.txt")
    if not kept.is_file():
        yield f"code of {path.stem}"
        return
    before = [line.split(" ", 1) for line in kept.read_text(encoding="utf-8").splitlines()]
    now = [line.split(" ", 1) for line in path.read_text(encoding="utf-8").splitlines()]
    versions, new = dict(before), [each for each in now if each not in before]
    if path.stem == "packages":
        yield from (f"package {name}: {versions.get(name, 'none')} -> {version}" for name, version in new)
    else:  # a definition that changed explains those that it calls now
        changed = [name for name, _ in new if name in versions] or [name for name, _ in new]
        yield from (f"{name} changed" for name in changed)
    if not new:
        yield f"code of {path.stem}, which is as it was when the last complete run ended"


def _of_params(reason: str) -> Iterator[str]:
    """Yield which keys of the config, and which values of claims, are others."""
    for texts in re.findall(r"across all output: before: (.*) now: ([^;]*)", reason):
        before, now = (dict(_pairs(text)) for text in texts)
        for key in dict.fromkeys([*before, *now]):
            if before.get(key) != now.get(key):
                yield f"{key}: {before.get(key, 'nothing')} -> {now.get(key, 'nothing')}"


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words KEY=VALUE in params as Snakemake prints them."""
    for param in ast.literal_eval(f"[{text.replace('<nothing exclusive>', '')}]"):
        for word in param if isinstance(param, list) else re.split(r" (?=--)", str(param)):
            key, *value = re.split("[ =]", str(word), maxsplit=1)
            yield key, "".join(value)


def _named(rule: str, which: Sequence[str]) -> str:
    shown = ", ".join(filter(None, which[:FEW])) + (f" and {len(which) - FEW} more" if which[FEW:] else "")
    return f"    {rule}: {shown}".rstrip(": ")
