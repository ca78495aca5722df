"""What jobs wrote, with checksums, as their logs tell: a run refuses to build on a file that is another."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data.overwrite_guard import PRODUCTS, PROVENANCE

RECORDS, UNFINISHED = Path(".snakemake/metadata"), Path(".snakemake/incomplete")
_LINE = re.compile(r"^wrote ([0-9a-f]{64}) (.+)$", re.MULTILINE)
_END = re.compile(r"^took ", re.MULTILINE)  # of a log that is whole


def line(path: Path) -> str:
    """Return the line of a log that says that this file was written."""
    return f"wrote {sha256(path)} {path}"


def check(logs: Path, *folders: Path) -> None:
    """Refuse files in these folders that are not what the job wrote that wrote them last.

    A file whose log is gone or cut is compared with the manifest in the first folder; refused if that does
    not list it. So is one that is older than the manifest by Snakemake's records: with its log it may be
    a copy of another's. Whoever edits file, log and manifest, or those records, is not caught.
    """
    known = refuse_changes(logs, *folders)
    if lost := sorted(_lost(known, folders)):
        (file, reason), more = lost[0], f" (and of {len(lost) - 1} more files)" if lost[1:] else ""
        does = clean(*folders) if lost[1:] else "delete it"
        raise InputError(
            f"{file}: the log of its job is gone or cut ({reason}){more}, so nothing tells whether it is "
            f"as it was; put {logs} back, or {does}, and the next run makes {'them' if more else 'it'} again"
        )


def refuse_changes(logs: Path, *folders: Path) -> Collection[str]:
    """Refuse files of which logs or manifest tell other checksums; return the files of which they tell.

    Not those of a job that was stopped, perhaps between its files and its log: Snakemake makes them again.
    """
    manifest, listed = folders[0] / "manifest.json", dict[str, str]()
    known: dict[str, set[str]] = {}
    for log in logs.rglob("*.log"):
        # A file that another job makes since then stands in the log of the former one as well.
        for checksum, path in _LINE.findall(log.read_text(encoding="utf-8", errors="replace")):
            known.setdefault(path, set()).add(checksum)
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):  # none yet, or a damaged one
        recorded = json.loads(manifest.read_text(encoding="utf-8"))
        listed = {
            path: facts["sha256"] for path, facts in (recorded["evidence"] | recorded["outputs"]).items()
        }
    for path, checksum in listed.items():
        known.setdefault(path, {checksum})
    records = {path: record for path, record in _records() if path in listed or path == str(manifest)}
    stopped = {path for path, _ in _records(UNFINISHED)}

    def is_right(path: str) -> bool:
        """Tell if its checksum is a known one, and that of the manifest if this was written later."""
        checksum = sha256(Path(path))
        if checksum not in known[path] or checksum == listed.get(path, checksum):
            return checksum in known[path]
        made, listed_then = (_made(records.get(one)) for one in (path, str(manifest)))
        return made is None or listed_then is None or made > listed_then

    # It is no output of its rule, or Snakemake would remove it before the overwrite guard has read it.
    if (record := folders[0] / PROVENANCE).is_file():
        for folder in folders[1:]:
            known.setdefault(str(folder / PRODUCTS), {sha256(record)})
    changed = [
        path
        for path in sorted(known)
        if any(Path(path).is_relative_to(folder) for folder in folders)
        and Path(path).is_file()
        and path not in stopped
        and not is_right(path)
    ]
    if changed:
        more = f" (and {len(changed) - 1} more files)" if changed[1:] else ""
        also = f" and {record}" if Path(changed[0]).name == PRODUCTS else ""  # Snakemake misses that one
        raise InputError(
            f"{changed[0]}: is not what its job wrote{more}; delete it{also}, and the next run makes it again"
        )
    return known


def refuse_unfinished(*folders: Path) -> None:
    """Refuse files of a job that was stopped, which only a run makes again, or that goes on."""
    for path, _ in _records(UNFINISHED):
        if Path(path).is_file() and any(Path(path).is_relative_to(folder) for folder in folders):
            raise InputError(
                f"{path}: its job was stopped, or goes on; finish the run, as with make reproduce"
            )


def clean(results: Path, *products: Path) -> str:
    """Return what to do to have nothing left in the folders of a run."""
    places = [results, *(place for place in products if not place.is_relative_to(results))]
    # There lie files of the project too.
    known = {Path("results"): "run make clean", Path("paper"): "run make clean"}
    return " and ".join(dict.fromkeys(known.get(place, f"delete the folder {place}") for place in places))


def _records(folder: Path = RECORDS) -> Iterator[tuple[str, Path]]:
    """Yield files that Snakemake's jobs made, or are `UNFINISHED`, and its records of them."""
    for record in folder.rglob("*"):
        with suppress(ValueError):  # no name of a record
            # Snakemake splits long names into folders that begin with "@".
            name = str(record.relative_to(folder)).replace("/", "").replace("@", "")
            yield urlsafe_b64decode(name).decode(), record


def _made(record: Path | None) -> float | None:
    """Return when a file was made, by Snakemake's record of it; None if that is not known."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        return float(json.loads(record.read_text(encoding="utf-8"))["endtime"])  # type: ignore[union-attr]
    return None


def _lost(known: Collection[str], folders: Collection[Path]) -> Iterator[tuple[str, str]]:
    """Yield files that Snakemake's jobs made, not `known`, and their logs that are gone or cut.

    Not those that it makes again itself, nor those whose log is whole: earlier versions named no files there.
    """
    for path, record in _records():
        with suppress(OSError, ValueError, LookupError, TypeError):  # a damaged record
            if (
                path in known
                or not any(Path(path).is_relative_to(folder) for folder in folders)
                or not Path(path).is_file()
                or (UNFINISHED / record.relative_to(RECORDS)).exists()
            ):
                continue
            for log in json.loads(record.read_text(encoding="utf-8"))["log"]:
                if not (Path(log).is_file() and _END.search(Path(log).read_text("utf-8", "replace"))):
                    yield path, log
