"""The files that say which code an entry point can reach; a rule takes them as input.

A file changes only when what it says does. Snakemake compares inputs by content, so that is when a job runs
again.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.workflow.fingerprint.reachability import Source


def write_stamps(
    entries: Iterable[str], folder: Path, lock: Path, source: Source | None = None
) -> dict[str, Path]:
    """Write what each entry point can reach to a file, and the locked versions to ``packages.txt``.

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
    _write(packages, locked(lock))
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


def refuse_other_versions(lock: Path) -> None:
    """Refuse a package of another version than the one that is locked here, as results name those.

    Also one that is imported from elsewhere than it is installed, as by PYTHONPATH. Whoever edits its files
    where they are installed, or hides a module of Python's own, is not caught.
    """
    from importlib.machinery import PathFinder
    from importlib.metadata import PackageNotFoundError, distribution

    from packaging.markers import Marker

    install = f"run {sys.executable} -m pip install --require-hashes -r {lock.name}"
    for name, pins in _pins(lock).items():
        pairs = [pin.split(" ; ", 1) for pin in pins]
        here = [version for version, *marker in pairs if all(Marker(text).evaluate() for text in marker)]
        if not here:  # of another system, or Python
            continue
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            raise InputError(f"{name} is not installed, and {lock.name} has {here[0]}; {install}") from None
        if (found := installed.metadata["Version"]) not in here:
            raise InputError(
                f"{name} is installed in version {found}, and {lock.name} has {here[0]}; {install}"
            )
        place = Path(str(installed.locate_file(""))).resolve()
        # A package may be imported under other names, as PyYAML as yaml.
        for name_here in (installed.read_text("top_level.txt") or name.replace("-", "_")).split():
            # Not what is imported already, which may be a stand-in.
            module = PathFinder.find_spec(name_here)
            if (
                module
                and module.has_location
                and not Path(str(module.origin)).resolve().is_relative_to(place)
            ):
                raise InputError(
                    f"{name} is imported from {module.origin}, and installed in {place}; move the former "
                    "away, or unset PYTHONPATH"
                )


def locked(lock: Path) -> dict[str, str]:
    """Return a lock file's versions by package, sorted; for some machines alone, with which."""
    return {package: " or ".join(versions) for package, versions in _pins(lock).items()}


def _pins(lock: Path) -> dict[str, list[str]]:
    """Return the versions of `locked` one by one."""
    try:
        text = lock.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{lock}: the locked versions cannot be read ({error})") from error
    lines = (
        re.split(r"(?:^|\s)(?:--|#)", line)[0].strip() for line in text.replace("\\\n", " ").splitlines()
    )
    pins: dict[str, list[str]] = {}
    for package, _, version in (line.partition("==") for line in sorted({*lines} - {""})):
        pins.setdefault(package, []).append(version)
    return pins
