"""Why a job would run: what it was made of, compared with what there is now."""

import functools
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from private_experts.replication.command_line import FLAGS, PARAMS, Config, Stage, parameters
from private_experts.replication.files import sha256
from private_experts.replication.run.fingerprint import LOCKED, recalled, recalled_pins
from private_experts.replication.run.plan.jobs import Job, Record, Study

GONE, NEW, CHANGED = "gone", "new", "changed"
ASKED = "--asked"  # the flag with what decides some claims
NAMED = ("--settings", "--config", ASKED)  # flags with JSON in which the keys are named in full


class Cause(NamedTuple):
    """One thing that is no longer as it was.

    Attributes
    ----------
    kind : str
        ``"code"``, ``"config"``, ``"claim"``, ``"package"``, ``"file"``, or ``"job"`` when it is the job itself.
    what : str
        The definition, the full name of the key, the claim and what of it, the package, the file, or words about the
        job.
    how : str
        "changed", "new", "gone", or the old and the new value.
    """

    kind: str
    what: str
    how: str = ""


def causes(job: Job, study: Study) -> dict[Cause, set[str]]:
    """Return why a job would run of itself, each cause with the entry points whose code it lies in.

    Parameters
    ----------
    job : Job
        One that would run. When it only follows other jobs, nothing is found.
    study : Study
        Its study.
    """
    missing = [path for path in job.outputs if not Path(path).exists()]
    if job.record is None:
        words = "never ran" if missing else "nobody noted how its results were made"
        return {Cause("job", words): set()}
    found: dict[Cause, set[str]] = {}
    for path in job.inputs:
        if Path(path).parent == study.code:
            for cause in _of_stamp(Path(path), job.record.checksums.get(path, ""), sha256(Path(path))):
                found.setdefault(cause, set()).add(entry_of(Path(path)))
    others = [*_of_command(job.record.command, job.command, study.stages), *_of_files(job, job.record, study)]
    found |= {cause: set() for cause in others}
    if job.rule_changed:
        found[Cause("job", "the workflow calls it otherwise")] = set()
    if missing:
        found[Cause("job", f"{Path(missing[0]).name} is missing")] = set()
    return found


def entry_of(stamp: Path) -> str:
    """Return the entry point that a stamp is about."""
    module, _, name = stamp.stem.rpartition(".")
    return f"{__name__.partition('.')[0]}.{module}:{name}"


@functools.cache
def _of_stamp(path: Path, before: str, after: str) -> Sequence[Cause]:
    """Return what changed in the code that a stamp is about, between the times when it had two checksums."""
    if before == after:
        return []
    if not before:
        return [Cause("code", entry_of(path), NEW)]
    then, now = recalled(path, before), recalled(path, after)
    if then is None or now is None:
        return [Cause("code", entry_of(path), "changed; what of it was not kept")]
    then_locked, now_locked = then.pop(LOCKED, ""), now.pop(LOCKED, "")
    found = [Cause("code", name, CHANGED) for name in now.keys() & then.keys() if now[name] != then[name]]
    if not found:  # a definition that changed explains those that it calls now, or no longer
        found = [Cause("code", name, NEW if name in now else GONE) for name in now.keys() ^ then.keys()]
    if now_locked != then_locked:
        found += _of_lock(recalled_pins(path, then_locked), recalled_pins(path, now_locked))
    return sorted(found)


def _of_lock(then: Sequence[str] | None, now: Sequence[str] | None) -> Iterator[Cause]:
    """Yield the packages whose locked versions are others."""
    if then is None or now is None:
        yield Cause("package", "some", CHANGED)
        return
    old, new = ({name: rest for name, _, rest in (pin.partition("==") for pin in pins)} for pins in (then, now))
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield Cause("package", name, _values(old.get(name), new.get(name)))


def _of_files(job: Job, record: Record, study: Study) -> Iterator[Cause]:
    """Yield which files of a job are new or gone, or have another content, apart from stamps and what jobs make."""
    before, now = ({*paths} - study.made for paths in (record.inputs, job.inputs))
    for name in sorted(before | now):
        path, known = Path(name), record.checksums.get(name)
        if path.is_relative_to(study.code.parent):
            continue
        if name not in now or name not in before:
            yield Cause("file", name, NEW if name in now else GONE)
        elif known and path.exists() and path.stat().st_mtime > record.ended and sha256(path) != known:
            yield Cause("file", name, CHANGED)


def _of_command(then: str, now: str, stages: Mapping[str, Stage]) -> Iterator[Cause]:
    """Yield which values that the config or the workflow gives to a command are others."""
    if then == now:
        return
    old, new = _flags(then), _flags(now)
    for flag, key in _keys(now, stages).items():
        kind = "claim" if flag == ASKED else "config"
        for name, was, becomes in _differences(key, _read(old.get(flag)), _read(new.get(flag))):
            yield Cause(kind, name, _values(was, becomes))


def _keys(command: str, stages: Mapping[str, Stage]) -> dict[str, str]:
    """Return the flags of a command that give no files, each with the key of the config that it takes, or its name."""
    name = next(word for word in shlex.split(command)[1:] if not word.startswith("-"))
    known = parameters(stages[name.replace("-", "_")])
    keys = {each.flag: each.source.key for each in known if isinstance(each.source, Config)}
    # What the workflow works out from several keys is named after the flag.
    free = [each.flag for each in known if each.source in (FLAGS, PARAMS)]
    return keys | {flag: "" if flag in NAMED else f"{name} {flag}" for flag in free}


def _flags(command: str) -> dict[str, list[str]]:
    """Return the flags of a command with the words after each."""
    found: dict[str, list[str]] = {}
    flag = ""
    for word in shlex.split(command):
        if word in (">", "2>"):
            break
        if word.startswith("--"):
            flag, _, value = word.partition("=")
            found[flag] = [value] if value else []
        elif flag:
            found[flag].append(word)
    return found


def _read(words: Sequence[str] | None) -> Any:
    """Return the value of a flag: of JSON what it means, of several words a list; None when it was not given."""
    if words is None:
        return None
    if len(words) == 1 and words[0][:1] in ("{", "["):
        value = json.loads(words[0])
        named = isinstance(value, list) and value and all(isinstance(each, dict) and "claim" in each for each in value)
        return {each["claim"]: each for each in value} if named else value
    return " ".join(words) if words else True


def _differences(key: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the full names under which two values differ, with both."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from _differences(f"{key}.{name}".lstrip("."), old.get(name), new.get(name))
    elif old != new:
        yield key, old, new


def _values(old: Any, new: Any) -> str:
    """Return words for the change of a value."""
    was, becomes = (value if isinstance(value, str) else json.dumps(value) for value in (old, new))
    return f"{NEW}, {becomes}" if old is None else f"was {was}, now {GONE if new is None else becomes}"
