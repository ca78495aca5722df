"""The files that say which code an entry point can reach; a rule takes them as input.

Beside each file it is noted which modules were looked at. As long as they are the same, nothing is worked out again.

A file that is replaced is kept for a while, under its checksum, and so are the versions of each lock. Snakemake notes
the checksums of all that a job read. So it can be said later what has changed since a job ran, however often the
files were replaced in between.
"""

import functools
import hashlib
import re
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import sha256, write_text
from private_experts.replication.run.fingerprint.memo import reader
from private_experts.replication.run.fingerprint.parsing import digest
from private_experts.replication.run.fingerprint.reachability import Source, source_of

LOCKED = "locked versions"  # instead of a definition, at the end of a file
BEFORE = "before"  # the folder of what was replaced
NOTED = "looked-at"  # the folder of what the files were made from
KEPT = 5  # replaced files of one entry: each is some 7 kB, and an edit can replace all of some 300


def fingerprint(entry: str, root: Path | Source | None = None, lock: Path | None = None) -> str:
    """Return one hash over all that `entry` can reach and, when `lock` is given, the locked versions."""
    return digest(_worked_out(entry, source_of(entry, root), lock)[0])


def stamp(entry: str, folder: Path, *, lock: Path | None = None, root: Path | Source | None = None) -> Path:
    """Write what `entry` can reach to a file that changes only when the code does, for a rule to take as input.

    Parameters
    ----------
    entry, root
        As in `reach`.
    folder : Path
        Where the file goes. It is called like the entry without its package, as in
        ``replication.run.stages.manifest.txt``.
    lock : Path, optional
        The ``requirements.lock`` whose versions count as well.

    Returns
    -------
    Path
        The file, with one line per definition; untouched when it already says the same.
    """
    module, _, name = entry.partition(":")
    path = Path(folder) / f"{module.partition('.')[2] or module}.{name}.txt"
    source = source_of(entry, root)
    if not agrees(path, source, lock):
        text, looked_at = _worked_out(entry, source, lock)
        if not path.is_file() or path.read_bytes() != text.encode():
            _keep(path)
            write_text(path, text)
        write_text(_noted(path), "\n".join([_state(text.encode(), looked_at, source, lock), *looked_at]))
    if lock is not None:
        versions, pins = _locked(lock)
        if not _kept_pins(path, versions).is_file():
            write_text(_kept_pins(path, versions), pins)
    return path


def agrees(path: Path, source: Source, lock: Path | None = None) -> bool:
    """Tell whether it is known that a stamp says what its entry can reach, without working that out.

    Parameters
    ----------
    path : Path
        The stamp.
    source : Source
        The package's source.
    lock : Path, optional
        As in `stamp`.

    Returns
    -------
    bool
        False also when it says so, but was never noted, or when what was noted is damaged.
    """
    try:
        state, *looked_at = _noted(path).read_text(encoding="utf-8").split("\n")
        return state == _state(path.read_bytes(), looked_at, source, lock)
    except (OSError, ValueError):  # such as a name that is none
        return False


def recalled(path: Path, checksum: str) -> dict[str, str] | None:
    """Return what a stamp said when it had a checksum: definitions, with the hashes of their sources.

    Parameters
    ----------
    path : Path
        The stamp.
    checksum : str
        SHA-256, in hexadecimal.

    Returns
    -------
    dict of str to str, or None
        None when that content was not kept, or is damaged.
    """
    for each in (path, _kept(path, checksum)):
        if each.is_file() and sha256(each) == checksum:
            lines = each.read_text(encoding="utf-8", errors="replace").splitlines()
            pairs = [line.rpartition(" ") for line in lines]
            return {name: code for name, _, code in pairs} if all(name for name, _, _ in pairs) else None
    return None


def recalled_pins(path: Path, versions: str) -> list[str] | None:
    """Return the pins that the hash of the locked versions in a stamp stands for; None when they were not kept."""
    kept = _kept_pins(path, versions)
    return kept.read_text(encoding="utf-8", errors="replace").splitlines() if kept.is_file() else None


def _keep(path: Path) -> None:
    """Keep a stamp that is about to be replaced, and of those replaced before the newest ones."""
    if path.is_file():
        write_text(_kept(path, sha256(path)), path.read_text(encoding="utf-8"))
        older = sorted(_kept(path, "").parent.glob("*.txt"), key=lambda each: each.stat().st_mtime)[:-KEPT]
        for each in older:
            each.unlink(missing_ok=True)


def _kept(path: Path, checksum: str) -> Path:
    return path.parent / BEFORE / path.stem / f"{checksum}.txt"


def _kept_pins(path: Path, versions: str) -> Path:
    return path.parent / BEFORE / f"locked-{versions}.txt"


def _noted(path: Path) -> Path:
    return path.parent / NOTED / path.name


def _state(stamp: bytes, looked_at: list[str], source: Source, lock: Path | None) -> str:
    """Return a hash of a stamp and of all that decides what it says."""
    decisive = [f"{name} {source.state(name)}" for name in looked_at]
    decisive += [_locked(lock)[0]] if lock is not None else []
    return hashlib.sha256(b"\n".join([reader(), _writer(), stamp, "\n".join(decisive).encode()])).hexdigest()


@functools.cache
def _writer() -> bytes:
    """Return a hash of the code that decides how a stamp is put into words."""
    return hashlib.sha256(Path(__file__).read_bytes()).digest()


def _worked_out(entry: str, source: Source, lock: Path | None) -> tuple[str, list[str]]:
    """Return what a stamp is to say, and what was looked at to find it."""
    definitions, looked_at = source.walk(*entry.split(":"))
    lines = [f"{name} {code}" for name, code in sorted(definitions.items())]
    lines += [f"{LOCKED} {_locked(lock)[0]}"] if lock is not None else []
    return "".join(f"{line}\n" for line in lines), looked_at


def _locked(lock: Path) -> tuple[str, str]:
    """Return a hash of the pins of a lock file, and the pins themselves, a line each."""
    try:
        seen = Path(lock).stat()
        return _pins(Path(lock), seen.st_mtime_ns, seen.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{lock}: the locked versions cannot be read ({error})") from error


@functools.lru_cache(maxsize=4)  # a plan asks for them hundreds of times
def _pins(lock: Path, *seen: int) -> tuple[str, str]:
    """Find the ``name==version [; marker]`` pins of a lock file, without comments and checksums, and sort them."""
    text = lock.read_text(encoding="utf-8")
    lines = (re.split(r"(?:^|\s)(?:--|#)", line)[0] for line in text.replace("\\\n", " ").splitlines())
    pins = "\n".join(sorted({re.sub(r" ?; ?", " ; ", " ".join(line.split())) for line in lines} - {""}))
    return digest(pins), f"{pins}\n"
