"""The files that say which code an entry point can reach; a rule takes them as input.

A file changes only when what it says does. Snakemake compares inputs by content, so that is when a job runs
again.
"""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from private_experts.replication.files import write_text
from private_experts.replication.verify.code_origin import locked
from private_experts.replication.workflow.fingerprint.reachability import Source


def write_stamps(
    entries: Iterable[str], folder: Path, lock: Path, source: Source | None = None
) -> dict[str, Path]:
    """Write what each entry point can reach to a file, and the versions it runs with to ``packages.txt``.

    A file is called like its entry without the package, as in
    ``replication.workflow.run_stages.manifest.txt``. It has one line per definition: its name, and the hash
    of its source. Return the files by entry, and that of ``"packages"``. While neither the source nor the
    files change, nothing is followed again.
    """
    source = Source(memo=folder / "parsed.json") if source is None else source
    paths = {
        entry: folder / f"{entry.partition('.')[2].replace(':', '.')}.txt" for entry in sorted({*entries})
    }
    state_file = folder / "stamped.sha256"
    if _read(state_file) != _state(source, paths).encode():
        for entry, path in paths.items():
            _write(path, source.reach(entry))
        source.keep()
        write_text(state_file, _state(source, paths))
    packages = folder / "packages.txt"
    # Another Python has other versions by the same lock.
    _write(packages, {"python": ".".join(platform.python_version_tuple()[:2]), **locked(lock)})
    return {**paths, "packages": packages}


def _state(source: Source, paths: Mapping[str, Path]) -> str:
    """Return a hash of the source, and of what the files of the entries say."""
    whole = hashlib.sha256(source.checksum.encode())
    for entry, path in paths.items():
        content = _read(path)
        whole.update(f"{entry} {len(content)}\n".encode() + content)
    return whole.hexdigest()


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _write(path: Path, stamps: Mapping[str, str]) -> None:
    text = "".join(f"{name} {value}\n" for name, value in stamps.items())
    # Unchanged files keep their time, so that nothing looks newer than it is.
    if not path.is_file() or path.read_bytes() != text.encode():
        write_text(path, text)
