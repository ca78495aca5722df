"""Folders in which Snakemake found nothing to do, and which are as they were then: it need not look again.

Only to load Snakemake takes as long as a command may take that does nothing. What it answers follows from the
project's files, its records, the packages and what is asked. A checksum of their state is kept when it has
found nothing to do, and nothing changed while it looked. Files are known by size and times, also that of the
last change of their times, so that every edit is seen.
"""

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from private_experts.replication.files import write_text
from private_experts.replication.verify.code_origin import HERE
from private_experts.replication.workflow.run_lock import LOCK

KEPT = Path(".snakemake/settled")
MOST = 8  # states that are kept, as of the whole study and of the small one
RECORDS = (".snakemake/metadata", ".snakemake/incomplete")  # Snakemake's own, of files and how they were made
READ = ("PRIVATE_EXPERTS_", "PYTHON", "SNAKEMAKE_")  # how variables begin that decide what is to do
LET_KNOW = "PYTHONSAFEPATH"  # which the rules set for jobs


class _UnknownError(Exception):
    """The state of a folder cannot be told."""


def state(configfiles: Sequence[Path] = (), data: str | None = None) -> str:
    """Return a checksum of what decides what a run in this folder would do; empty if unknown."""
    import hashlib

    found = hashlib.sha256()
    try:
        # A file of data may lie anywhere, a name as DATA=synthetic is no file.
        named = [*configfiles, *([Path(data)] if data and Path(data).is_file() else [])]
        decides: list[object] = [*map(str, configfiles), data, sys.version, sys.prefix, str(HERE)]
        decides += [item for item in os.environ.items() if item[0].startswith(READ) and item[0] != LET_KNOW]
        decides += [_facts(path.stat()) for path in (*named, Path(sysconfig.get_path("purelib")))]
        found.update(repr(decides).encode())
        for folder in (".", *filter(os.path.isdir, RECORDS)):
            for file in _files(folder):
                found.update(repr(file).encode())
    except (OSError, _UnknownError):
        return ""
    return found.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield all files below a folder with their facts; not those in hidden folders, which no run reads."""
    with os.scandir(folder) as entries:
        for item in sorted(entries, key=lambda entry: entry.name):
            if item.is_dir():
                if item.name.startswith(".") or item.name == "__pycache__":
                    continue
                if item.is_symlink():
                    if not Path(item.path).resolve().is_relative_to(Path().resolve()):
                        raise _UnknownError  # other folders have too many files, or lead in circles
                    continue  # its files are seen where they lie
                yield from _files(item.path)
            elif item.name != LOCK:
                yield item.path, _facts(item.stat())


def _facts(of: os.stat_result) -> tuple[int, ...]:
    return of.st_size, of.st_mtime_ns, of.st_ctime_ns


def is_settled(found: str) -> bool:
    """Tell whether Snakemake found nothing to do in this state."""
    return bool(found) and found in _kept()


def settle(before: str, configfiles: Sequence[Path] = (), data: str | None = None) -> None:
    """Keep the state before Snakemake found nothing to do, if all files that count are as then."""
    if before and before == state(configfiles, data) and _inside(configfiles):
        write_text(KEPT, "\n".join([*_kept(), before][-MOST:]))


def _kept() -> list[str]:
    return KEPT.read_text(encoding="utf-8").split() if KEPT.is_file() else []


def _inside(configfiles: Sequence[Path]) -> bool:
    """Tell whether a run that ended is in this folder, with its data and all that it wrote."""
    from private_experts.replication.study.data.source import NAMED
    from private_experts.replication.workflow import config as configuration

    config = configuration.read(Path("config/study.yaml"))
    for path in configfiles:
        config = configuration.laid_over(config, configuration.read(path))
    data, places = config["hospital"]["data"], config["pathvars"]
    used = [*places.values(), *([] if data in NAMED else [data])]
    here = Path().resolve()
    return (Path(places["results"]) / "manifest.json").is_file() and all(
        Path(path).resolve().is_relative_to(here) for path in used
    )
