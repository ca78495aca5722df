"""What people ask of a run, checked before Snakemake sees it: the folder, the config files, the number of cores."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.run import config as configuration

ALL = "all"  # in the place of a number of cores
# Snakemake's words for what makes no result.
LOOKING = {
    "--archive", "--cleanup-metadata", "--d3dag", "--dag", "--detailed-summary", "--filegraph", "--lint", "--list",
    "--list-changes", "--list-input-changes", "--list-params-changes", "--list-rules", "--list-target-rules",
    "--list-untracked", "--report", "--rulegraph", "--summary", "--unlock", "-D", "-S", "-l",
}  # fmt: skip


def only_looks(words: Iterable[str]) -> bool:
    """Return whether Snakemake's words ask for something else than results, such as a check of the rules' style."""
    return not LOOKING.isdisjoint(word.partition("=")[0] for word in words)


def check(configfiles: Iterable[Path] = (), cores: int | None = None) -> None:
    """Check that a run can be asked for, here and with these further config files and cores.

    Raises
    ------
    InputError
        When this is no folder of the project, a config file cannot be used, or there would be no core to run on.
    """
    if not Path("Snakefile").is_file():
        raise InputError("there is no Snakefile in this folder; go to the project's folder, which `git clone` made")
    if cores is not None and cores < 1:
        raise InputError(f"--cores: {cores} is not allowed; write a number of at least 1, or nothing for all cores")
    for path in configfiles:
        configuration.read(path)


def check_words(words: Sequence[str]) -> None:
    """Check a run that is asked for in Snakemake's words; what only Snakemake knows is left to it.

    Raises
    ------
    InputError
        As `check` does.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False, exit_on_error=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", type=Path, action="extend", default=[])
    parser.add_argument("--cores", "-c", nargs="?", default=ALL, const=ALL)
    try:
        asked, _ = parser.parse_known_args(words)
    except argparse.ArgumentError as error:
        raise InputError(str(error)) from error
    if asked.cores != ALL and not asked.cores.removeprefix("-").isdecimal():
        raise InputError(f"--cores: {asked.cores} is not allowed; write a number of at least 1, or {ALL}")
    check(asked.configfile, None if asked.cores == ALL else int(asked.cores))
