"""A plan in words: what changed and which way it is reached, what would run because of it, and for how long."""

import shutil
import textwrap
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from private_experts.replication.drawing.numbers import duration
from private_experts.replication.run.fingerprint import Source
from private_experts.replication.run.plan.causes import Cause, causes
from private_experts.replication.run.plan.forecast import seconds, together
from private_experts.replication.run.plan.jobs import Job, Study

FEW = 3  # ways, members and rules that are named before the rest is counted
LONG = 160  # characters; a value can be much longer
LOCK = Path("requirements.lock")
LOOPS = ("checks", "claim_figures")  # how the names of rules begin that are made in a loop

Because = Mapping[int, Mapping[Cause, Collection[str]]]  # for each job that would run, by its place


def lines(study: Study, source: Source, cores: int, every: bool = False) -> list[str]:
    """Return the plan of a study.

    Parameters
    ----------
    study : Study
        As Snakemake sees it.
    source : Source
        The code that the stamps are about.
    cores : int
        On which the jobs would run.
    every : bool
        Whether to name all ways and members, and not only a few.
    """
    because = {place: causes(job, study) for place, job in enumerate(study.jobs) if job.pending}
    if not because:
        return [f"Nothing would run: all {len(study.jobs)} jobs stay."]
    took = seconds(study)
    changes = _newest_first(
        {cause for found in because.values() for cause in found if cause.kind != "job"}, study, source
    )
    said = [_headline(study, took, cores)]
    if changes:
        said += ["", "What changed, newest first", *_changes(study, because, changes, source, every)]
    return [*said, "", *_runs(study, because, changes, took, every), "", *_stays(study)]


def _headline(study: Study, took: Sequence[float | None], cores: int) -> str:
    pending = {place: job.after for place, job in enumerate(study.jobs) if job.pending}
    known = {place: took[place] or 0.0 for place in pending}
    unknown = sum(took[place] is None for place in pending)
    text = f"{len(pending)} of {len(study.jobs)} jobs would run"
    if unknown == len(pending):
        return f"{text}. None of their kind has run here before, so how long it takes is not known."
    text += f", for about {duration(together(pending, known, cores))} on {cores} {'core' if cores == 1 else 'cores'}"
    text += f" ({duration(sum(known.values()))} of work by the last run's times)."
    return f"{text} {unknown} of them are of a kind that never ran; they are not counted." if unknown else text


def _newest_first(found: Collection[Cause], study: Study, source: Source) -> list[Cause]:
    """Sort causes by the date of the file in which they lie, newest first."""

    def date(cause: Cause) -> float:
        config = [path.stat().st_mtime for path in study.configfiles if path.exists()]
        path = (
            source.where(cause.what)[0]
            if cause.kind == "code"
            else LOCK
            if cause.kind == "package"
            else Path(cause.what)
        )
        return max(config, default=0.0) if cause.kind == "config" else path.stat().st_mtime if path.exists() else 0.0

    return sorted(found, key=lambda cause: (-date(cause), cause))


def _changes(study: Study, because: Because, changes: Sequence[Cause], source: Source, every: bool) -> list[str]:
    """Return the numbered causes; below each of the code, by rule, the shortest ways that lead to it."""
    wanted: dict[str, set[str]] = {}  # the definitions that are asked for, by where to start
    for found in because.values():
        for cause, starts in found.items():
            for start in starts:
                wanted.setdefault(start, set()).add(cause.what)
    ways = {start: source.ways(start, definitions) for start, definitions in wanted.items()}
    said: list[str] = []
    for number, cause in enumerate(changes, 1):
        said.append(f"{number:>3}  {_shown(cause, source)}")
        by_rule: dict[str, set[tuple[str, ...]]] = {}
        for place, found in because.items():
            for start in found.get(cause, ()):
                if cause.what in ways[start]:
                    by_rule.setdefault(_group(study.jobs[place]), set()).add(tuple(ways[start][cause.what]))
        told = [
            f"{' ' * 5}{rule}: {_way(way)}"
            for rule, leading in by_rule.items()
            for way in sorted(leading, key=lambda way: (len(way), way))[: None if every else 1]
        ]
        said += told if every or len(told) <= FEW + 1 else told[:FEW]
        if not every and len(told) > FEW + 1:
            said.append(f"{' ' * 5}and {len(told) - FEW} other rules (--every shows all ways)")
    return said


def _shown(cause: Cause, source: Source) -> str:
    if cause.kind != "code":
        return textwrap.shorten(f"{cause.kind} {cause.what}: {cause.how}", LONG, placeholder=" ...")
    module, _, name = cause.what.partition(":")
    path, line = source.where(cause.what)
    path = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    name = f"what {module} does when it is imported" if name == "<module>" else name
    return f"{path}:{line}  {name}: {cause.how}"


def _way(way: Sequence[str]) -> str:
    """Return a way with each module named once, and without the names that all of them share."""
    said, last = [], ""
    for definition in way:
        module, _, name = definition.partition(":")
        short = ".".join(word for word in module.split(".")[1:] if word != "replication")
        said.append(name if module == last else f"{short}:{name}")
        last = module
    return " > ".join(said)


def _runs(
    study: Study, because: Because, changes: Sequence[Cause], took: Sequence[float | None], every: bool
) -> list[str]:
    """Return what would run as a table, in the order in which it does: a line for each rule."""
    groups: dict[str, list[int]] = {}
    for place in because:
        groups.setdefault(_group(study.jobs[place]), []).append(place)
    rows: list[tuple[str, str, str, str, list[str]]] = [("What would run", "jobs", "about", "because of", [])]
    for name, places in groups.items():
        known = [took[place] for place in places]
        time = "not known" if None in known else duration(sum(each or 0.0 for each in known))
        why = _why(study, because, changes, places, every)
        members = [member for place in places for member in _members(study.jobs[place], study)]
        rows.append((f"  {name}", str(len(places)), time, why, [*dict.fromkeys(members)]))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    room = shutil.get_terminal_size((120, 24)).columns - sum(widths) - 8
    form = "{:<{}}  {:>{}}  {:>{}}  {:<{}}  "
    cells = [sum(zip(row[:4], widths, strict=True), ()) for row in rows]
    return [
        (form.format(*each) + _fitting(row[4], None if every else room)).rstrip()
        for each, row in zip(cells, rows, strict=True)
    ]


def _fitting(names: Sequence[str], room: int | None) -> str:
    """Return as many names as there is room for, but at least one, and the number of the others."""
    for shown in range(len(names), 1, -1):
        left = len(names) - shown
        text = ", ".join(names[:shown]) + (f" and {left} more" if left else "")
        if room is None or len(text) <= room:
            return text
    return "".join(names[:1]) + (f" and {len(names) - 1} more" if names[1:] else "")


def _group(job: Job) -> str:
    return next((loop for loop in LOOPS if job.rule.startswith(f"{loop}_")), job.rule)


def _why(study: Study, because: Because, changes: Sequence[Cause], places: Sequence[int], every: bool) -> str:
    """Return the numbers of some jobs' causes, what is the matter with the jobs themselves, and whom they follow."""
    own = {cause for place in places for cause in because[place]}
    said = [str(number) for number, cause in enumerate(changes, 1) if cause in own]
    said = [_some(said, every)] if said else []
    said += [_some(sorted(cause.what for cause in own if cause.kind == "job"), every)]
    idle = [place for place in places if not because[place]]
    before = {_group(study.jobs[each]): None for place in idle for each in study.jobs[place].after if each in because}
    if before:
        said.append(f"after {_some([*before], every)}")
    return "; ".join(filter(None, said)) or "; ".join({study.jobs[place].said for place in idle})


def _members(job: Job, study: Study) -> list[str]:
    """Return what tells a job from the others of its rule: its claims, its player, or its wildcards."""
    claims = study.code.parent / "claims"
    verdicts = [path for path in map(Path, job.outputs) if path.suffix == ".json" and path.is_relative_to(claims)]
    found = [path.relative_to(claims).with_suffix("").as_posix() for path in verdicts]
    return found or [*job.wildcards.values()][-1:]  # a player, or the only wildcard


def _some(names: Sequence[str], every: bool) -> str:
    names = [*dict.fromkeys(names)]
    shown = names if every or len(names) <= FEW + 1 else names[:FEW]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(shown) < len(names) else "")


def _stays(study: Study) -> list[str]:
    """Return how many jobs of which rules stay."""
    counts: dict[str, int] = {}
    for job in study.jobs:
        if not job.pending:
            counts[_group(job)] = counts.get(_group(job), 0) + 1
    told = ", ".join(f"{name} {count}" if count > 1 else name for name, count in counts.items())
    return textwrap.wrap(f"What stays: {told or 'nothing'}", shutil.get_terminal_size((120, 24)).columns)
