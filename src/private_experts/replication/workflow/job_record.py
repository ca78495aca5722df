"""What jobs wrote, with checksums, as their logs tell: a run refuses to build on a file that is another."""

import json
import re
from contextlib import suppress
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import sha256

_LINE = re.compile(r"^wrote ([0-9a-f]{64}) (.+)$", re.MULTILINE)


def line(path: Path) -> str:
    """Return the line of a log that says that this file was written."""
    return f"wrote {sha256(path)} {path}"


def check(logs: Path, *folders: Path) -> None:
    """Refuse files in these folders that are not what the job wrote that wrote them last.

    A file whose log is gone or cut is compared with the manifest in the first folder, if that lists it.
    """
    known: dict[str, set[str]] = {}
    for log in logs.rglob("*.log"):
        # A file that another job makes since then stands in the log of the former one as well.
        for checksum, path in _LINE.findall(log.read_text(encoding="utf-8", errors="replace")):
            known.setdefault(path, set()).add(checksum)
    with suppress(OSError, ValueError, LookupError, AttributeError):  # none yet, or a damaged one
        manifest = json.loads((folders[0] / "manifest.json").read_text(encoding="utf-8"))
        for path, checksum in (manifest["evidence"] | manifest["outputs"]).items():
            known.setdefault(path, {checksum})
    changed = [
        path
        for path, checksums in sorted(known.items())
        if any(Path(path).is_relative_to(folder) for folder in folders)
        and Path(path).is_file()
        and sha256(Path(path)) not in checksums
    ]
    if changed:
        more = f" (and {len(changed) - 1} more files)" if changed[1:] else ""
        raise InputError(
            f"{changed[0]}: is not what its job wrote{more}; delete it, and the same command makes it again"
        )
