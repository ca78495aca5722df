"""Two processors: the same checks with two kernels of OpenBLAS, with and without NumPy's newer instructions.

Last bits differ, and nothing else: verdicts and numbers of repetitions are the same, and values up to
rounding.
"""

import csv
import io
import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from private_experts.replication.ledger.checking import plain, table_of
from private_experts.replication.verify.comparing import Comparison, compare
from private_experts.replication.verify.last_run import LastRun
from private_experts.replication.verify.recomputing import Answer, Question, recompute
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.short_grids import short_grid

# Simulated games of 10^14 rounds, the datum that costs most, a grid with columns called low and high,
# multiple eigenvalues, reports of equal probability: in each of them another processor found other values
# once.
CLAIMS = (
    *("003/theorem-6-attained", "003/theorem-3", "000/central-privacy"),
    *("002/whole-blocks", "000/computation", "003/subset-variation"),
)
OLD, NEW = (
    {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
    {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": ""},
)


def question(name: str) -> Question:
    claim = KNOWN.claims[name]
    return Question(replace(claim, quick=short_grid(claim)), seed=2026, quick=True)


def tell() -> None:
    """Print the evidence and the verdicts of the claims, on their quick grids."""
    no_run = LastRun(Path(), Path("none"))
    answers = [recompute(question(name), no_run) for name in CLAIMS]
    print(json.dumps([[answer.rows, answer.record] for answer in answers], default=plain))


@pytest.fixture(scope="module")
def comparisons() -> dict[str, Comparison]:
    """Return how the answers of one processor agree with those of another."""
    program = f"from {__name__} import tell; tell()"
    words, pipe = [sys.executable, "-W", "ignore", "-c", program], subprocess.PIPE
    environments = [os.environ | kernels for kernels in (OLD, NEW)]
    processes = [subprocess.Popen(words, env=environment, stdout=pipe) for environment in environments]
    there, here = (json.loads(process.communicate(timeout=600)[0]) for process in processes)
    found = {}
    for name, (stored, entry), (rows, record) in zip(CLAIMS, there, here, strict=True):
        known, asked = list(csv.DictReader(io.StringIO(table_of(stored)))), question(name)
        found[name] = compare(Answer(asked, rows, record, 0.0), entry | {"grid": asked.grid}, known)
    return found


pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these kernels are of x86-64"
)


@pytest.mark.parametrize("name", CLAIMS)
def test_another_processor_gives_the_same_up_to_rounding(
    name: str, comparisons: dict[str, Comparison]
) -> None:
    found = comparisons[name]
    assert found.same_question  # so decisions, such as on more repetitions, are the same
    assert found.agrees, found


def test_last_bits_do_differ(comparisons: dict[str, Comparison]) -> None:
    assert sum(found.rounded for found in comparisons.values()) > 0
