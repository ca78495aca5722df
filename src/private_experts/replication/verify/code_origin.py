"""Which code computes: this folder's own, and the packages that the manifest names."""

import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from private_experts.errors import PROGRAM, InputError

HERE = Path(__file__).parents[3]  # the folder that the package is imported from
# Packages that compute the results, as they are imported, and as they are installed.
COMPUTING = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "flint": "python-flint",
    "matplotlib": "matplotlib",
}

_VARIABLE = "_PRIVATE_EXPERTS_VERSIONS"  # what a run began with, for its jobs; see `job_parent`
_MODULES = (".py", ".pyd", ".dll")  # and .so, which may go on with a version
_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)==([^\s;]+)(?: ; (.+))?")


def check(root: Path) -> None:
    """Refuse code of another folder, and a package that PYTHONPATH puts before the installed one."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to load, and jobs check nothing

    # Results of one folder's code must not be written into another one's folder.
    source = root.resolve() / "src"
    if source.is_dir() and HERE.resolve() != source.resolve():
        raise InputError(
            f"this folder's code is in {source}, and {PROGRAM} is imported from {HERE}; run make, "
            f"or pip install --editable . in this folder"
        )
    for module, name in COMPUTING.items():
        found = find_spec(module)
        try:
            installed = Path(str(distribution(name).locate_file(module)))
        except PackageNotFoundError:
            continue
        if found and found.origin and Path(found.origin).parent.resolve() != installed.resolve():
            raise InputError(
                f"{module} is imported from {found.origin}, not from {installed}; move the former away, or "
                "unset PYTHONPATH"
            )


def refuse_other_versions(lock: Path) -> None:
    """Refuse a package of another version than the one that is locked here, as results name those.

    Also one that is imported from elsewhere than it is installed, as by PYTHONPATH. Whoever edits its files
    to the same size, or hides a module of Python's own, is not caught.
    """
    from importlib.machinery import PathFinder
    from importlib.metadata import PackageNotFoundError, distribution, distributions

    install, versions = f"run {_install(lock.name)}", locked(lock)
    if lacking := sorted({*COMPUTING.values()} - versions.keys()):
        raise InputError(
            f"{lock}: has no version of {lacking[0]}; put the file back, as with git checkout {lock.name}"
        )
    for name, version in versions.items():
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            raise InputError(f"{name} is not installed, and {lock.name} has {version}; {install}") from None
        place = Path(str(installed.locate_file(""))).resolve()
        records = {one.metadata["Version"] for one in distributions(name=name, path=[str(place)])}
        if len(records) > 1:
            raise InputError(
                f"{name} is installed in versions {' and '.join(sorted(map(str, records)))} at once, as "
                f"after pip install --ignore-installed; delete {place / name.replace('-', '_')}-*.dist-info, "
                f"and {install}"
            )
        if (found := installed.metadata["Version"]) != version:
            raise InputError(
                f"{name} is installed in version {found}, and {lock.name} has {version}; {install}"
            )
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


def _install(lock: str) -> str:
    """Return a command that installs what a lock has; uv makes environments without pip, and others may."""
    from shutil import which

    words = f"--require-hashes -r {lock}"
    if find_spec("pip"):
        return f"{sys.executable} -m pip install {words}"
    if which("uv"):
        return f"uv pip install --python {sys.executable} {words}"
    return f"{sys.executable} -m ensurepip && {sys.executable} -m pip install {words}"


def refuse_damaged(lock: Path) -> None:
    """Refuse a package of a lock whose modules are gone, cut short or edited, as where a disk was full.

    By their sizes, if pip or uv installed them: others may change what they install.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    versions: dict[str, str] = {}
    with suppress(InputError):  # of a lock that is gone or damaged: `refuse_other_versions` says so
        versions = locked(lock)
    for name in versions:
        with suppress(PackageNotFoundError):
            installed = distribution(name)
            exact = (installed.read_text("INSTALLER") or "").strip() in ("pip", "uv")
            for line in (installed.read_text("RECORD") or "").splitlines():
                module, _, facts = line.rpartition(",sha256=")
                size = facts.rpartition(",")[2]
                if module.startswith("..") or size == "0":
                    continue
                if not (module.endswith(_MODULES) or ".so" in module):
                    continue
                if "/tests/" in module:  # which some distributions leave out, and no result needs
                    continue
                file = Path(str(installed.locate_file(module)))
                found = file.stat().st_size if file.is_file() else 0
                if not found or (exact and size not in ("", f"{found}")):
                    raise InputError(
                        f"{name}: {file} is gone, empty, cut short or edited; run {_install(lock.name)} "
                        "--force-reinstall"
                    )


def refuse_what_does_not_load(cause: InputError) -> None:
    """Refuse packages that no check can do without, if they do not load, as those of another Python."""
    for module in ("numpy", "scipy"):
        try:
            import_module(module)
        except Exception as error:
            raise InputError(f"{module} cannot be loaded; {cause}") from error


def refuse_cause(lock: Path) -> None:
    """Refuse what an import may have failed of, such as packages that PYTHONPATH has for another Python."""
    refuse_damaged(lock)
    if lock.is_file():
        refuse_other_versions(lock)


def mark() -> None:
    """Let the jobs that this process will start know which versions are installed now, and where."""
    os.environ[_VARIABLE] = f"{sys.prefix}\n{_installed()}"


def refuse_change() -> None:
    """Refuse what this job of a run computed, if packages became others since the run began."""
    place, _, before = os.environ.get(_VARIABLE, "").partition("\n")
    # A job may run in an environment of its own, as in one that Snakemake makes with conda.
    if place == sys.prefix and (now := _installed()) != before:
        raise InputError(
            f"the packages changed while the run went, from {before} to {now}; run "
            f"{_install('requirements.lock')}, then the same command again"
        )


def _installed() -> str:
    """Return which versions of `COMPUTING` are installed; each job asks, and `importlib.metadata` is slow."""
    found: dict[str, str] = {}
    for place in map(Path, sys.path):
        for entry in place.glob("*-*.dist-info"):
            name = entry.name.partition("-")[0].replace("_", "-")
            if name in COMPUTING.values() and name not in found:
                with (entry / "METADATA").open(encoding="utf-8") as facts:
                    found[name] = next((line[9:-1] for line in facts if line.startswith("Version: ")), "?")
    return " ".join(f"{name} {version}" for name, version in sorted(found.items()))


def locked(lock: Path) -> dict[str, str]:
    """Return a lock file's versions by package, sorted: those of this system and Python."""
    from packaging.markers import InvalidMarker, Marker

    try:
        text = lock.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{lock}: {error}; put it back, as with git checkout {lock.name}") from error
    lines = (
        re.split(r"(?:^|\s)(?:--|#)", line)[0].strip() for line in text.replace("\\\n", " ").splitlines()
    )
    versions: dict[str, str] = {}
    for line in sorted({*lines} - {""}):
        pin = _PIN.fullmatch(line)
        try:
            if not pin:
                raise InvalidMarker
            if pin[3] and not Marker(pin[3]).evaluate():  # of another system, or Python
                continue
        except InvalidMarker:
            number = text[: text.index(line)].count("\n") + 1
            raise InputError(
                f"{lock}: line {number}: {line!r} is no version of a package like numpy==2.4.6; the file is "
                f"damaged: put it back, as with git checkout {lock.name}"
            ) from None
        if pin[1] in versions:
            raise InputError(f"{lock}: {pin[1]} has two versions; put the file back, as with git checkout")
        versions[pin[1]] = pin[2]
    return versions
