"""What people ask of a run, checked before Snakemake sees it: the folder, the config files, the number of cores."""

from collections.abc import Iterable
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.workflow import config as configuration


def check(configfiles: Iterable[Path] = (), cores: int | None = None) -> None:
    """Refuse a folder that is not the project's, config files that cannot be used, and less than one core."""
    if not Path("Snakefile").is_file():
        raise InputError("there is no Snakefile in this folder; go to the project's folder, which `git clone` made")
    if cores is not None and cores < 1:
        raise InputError(f"--cores: {cores} is not allowed; write a number of at least 1, or nothing for all cores")
    for path in configfiles:
        configuration.read(path)
