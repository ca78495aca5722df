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
    not list it. Whoever edits a file and its log, or the records of Snakemake, is not caught.
    """
    known: dict[str, set[str]] = {}
    for log in logs.rglob("*.log"):
        # A file that another job makes since then stands in the log of the former one as well.
        for checksum, path in _LINE.findall(log.read_text(encoding="utf-8", errors="replace")):
            known.setdefault(path, set()).add(checksum)
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):  # none yet, or a damaged one
        manifest = json.loads((folders[0] / "manifest.json").read_text(encoding="utf-8"))
        for path, facts in (manifest["evidence"] | manifest["outputs"]).items():
            known.setdefault(path, {facts["sha256"]})
    # It is no output of its rule, or Snakemake would remove it before the overwrite guard has read it.
    if (record := folders[0] / PROVENANCE).is_file():
        for folder in folders[1:]:
            known.setdefault(str(folder / PRODUCTS), {sha256(record)})
    changed = [
        path
        for path, checksums in sorted(known.items())
        if any(Path(path).is_relative_to(folder) for folder in folders)
        and Path(path).is_file()
        and sha256(Path(path)) not in checksums
    ]
    if changed:
        more = f" (and {len(changed) - 1} more files)" if changed[1:] else ""
        also = f" and {record}" if Path(changed[0]).name == PRODUCTS else ""  # Snakemake misses that one
        raise InputError(
            f"{changed[0]}: is not what its job wrote{more}; delete it{also}, and the next run makes it again"
        )
    if lost := sorted(_lost(known, folders)):
        (file, said), more = lost[0], f" (and of {len(lost) - 1} more files)" if lost[1:] else ""
        does = clean(*folders) if lost[1:] else "delete it"
        raise InputError(
            f"{file}: the log of its job is gone or cut ({said}){more}, so nothing tells whether it is as it "
            f"was; put {logs} back, or {does}, and the next run makes {'them' if more else 'it'} again"
        )


def clean(results: Path, *products: Path) -> str:
    """Return what to do to have nothing left in the folders of a run."""
    places = [results, *(place for place in products if not place.is_relative_to(results))]
    # There lie files of the project too.
    known = {Path("results"): "run make clean", Path("paper"): "run make clean"}
    return " and ".join(dict.fromkeys(known.get(place, f"delete the folder {place}") for place in places))


def _lost(known: Collection[str], folders: Collection[Path]) -> Iterator[tuple[str, str]]:
    """Yield files that Snakemake's jobs made, not `known`, and their logs that are gone or cut.

    Not those that it makes again itself, nor those whose log is whole: earlier versions named no files there.
    """
    for record in RECORDS.rglob("*"):
        name = record.relative_to(RECORDS)
        with suppress(OSError, ValueError, LookupError, TypeError):  # a damaged record
            # Snakemake splits long names into folders that begin with "@".
            path = urlsafe_b64decode(str(name).replace("/", "").replace("@", "")).decode()
            if (
                path in known
                or not any(Path(path).is_relative_to(folder) for folder in folders)
                or not Path(path).is_file()
                or (UNFINISHED / name).exists()
            ):
                continue
            for log in json.loads(record.read_text(encoding="utf-8"))["log"]:
                if not (Path(log).is_file() and _END.search(Path(log).read_text("utf-8", "replace"))):
                    yield path, log
