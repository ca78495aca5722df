"""Snakemake and our commands, run in forks of one process that has imported what is not ours.

To import Snakemake, NumPy and pandas is most of what a dry run takes. What is ours each fork imports from its
project.
"""

import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SNAKEMAKE = "snakemake"
MODULES = {SNAKEMAKE: "snakemake.cli", "private-experts": "private_experts.replication.workflow.cli"}
FOREIGN = [
    *(
        "flint",
        "jsonschema",
        "matplotlib.pyplot",
        "numpy",
        "pandas",
        "requests",
        "scipy.optimize",
        "scipy.signal",
    ),
    *("snakemake.cli", "snakemake.storage", "tqdm", "yaml"),
]
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(FOREIGN)
# before NumPy is imported there
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))


def run(
    folder: Path, environment: Mapping[str, str], *words: str, program: str = SNAKEMAKE
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder to its end."""
    with tempfile.TemporaryDirectory() as place:
        outputs = [Path(place, name) for name in ("out", "err")]
        process = FORKS.Process(
            target=_run, args=(folder, dict(environment), program, words, outputs), daemon=True
        )
        process.start()
        process.join(600)
        assert process.exitcode is not None, "ten minutes were not enough"
        return subprocess.CompletedProcess(words, process.exitcode, *(path.read_text() for path in outputs))


def _run(
    folder: Path, environment: dict[str, str], program: str, words: tuple[str, ...], outputs: list[Path]
) -> None:
    for number, path in enumerate(outputs, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.dont_write_bytecode = [program, *words], False  # what was compiled tells what was imported
    sys.path.insert(0, environment["PYTHONPATH"])
    raise SystemExit(importlib.import_module(MODULES[program]).main([*words]))
