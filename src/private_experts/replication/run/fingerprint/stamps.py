"""The files that say which code an entry point can reach; a rule takes them as input."""

import functools
import re
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.run.fingerprint.parsing import digest
from private_experts.replication.run.fingerprint.reachability import Source, reach


def fingerprint(entry: str, root: Path | Source | None = None, lock: Path | None = None) -> str:
    """Return one hash over all that `entry` can reach and, when `lock` is given, the locked versions."""
    return digest(_listing(entry, root, lock))


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
    text = _listing(entry, root, lock)
    module, _, name = entry.partition(":")
    path = Path(folder) / f"{module.partition('.')[2] or module}.{name}.txt"
    if not path.is_file() or path.read_bytes() != text.encode():
        write_text(path, text)
    return path


def _listing(entry: str, root: Path | Source | None, lock: Path | None) -> str:
    lines = [f"{name} {code}" for name, code in reach(entry, root).items()]
    lines += [f"locked versions {_locked_versions(lock)}"] if lock is not None else []
    return "".join(f"{line}\n" for line in lines)


def _locked_versions(lock: Path) -> str:
    """Hash the sorted ``name==version [; marker]`` pins of a lock file, without comments and checksums."""
    try:
        text = Path(lock).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{lock}: the locked versions cannot be read ({error})") from error
    return _pins(text)


@functools.lru_cache(maxsize=4)
def _pins(text: str) -> str:
    lines = (re.split(r"(?:^|\s)(?:--|#)", line)[0] for line in text.replace("\\\n", " ").splitlines())
    pins = {re.sub(r" ?; ?", " ; ", " ".join(line.split())) for line in lines}
    return digest("\n".join(sorted(pins - {""})))
