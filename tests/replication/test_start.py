"""Most jobs are short, so what a stage imports is much of what it costs. Modules are bounded, not seconds.

NumPy takes about a tenth of a second to load, SciPy's special functions and pandas two tenths or more each.
"""

import ast
import inspect
import subprocess
import sys
from itertools import pairwise

import pytest

from private_experts.replication.workflow.cli import stages

SLOW = {"importlib.metadata", "jinja2", "jsonschema", "matplotlib", "mpmath", "numpy", "pandas", "requests"}
SLOW |= {"scipy", "yaml"}
PLAYERS = "private_experts.replication.study.players."
CHECKS = "private_experts.replication.papers."


# Stages, what they use beside what they import, and what of the slow they may load. In each line of stages,
# all run in one process: what one may load the next may load too, so none hides what a later one loads.
CHAINS: list[list[tuple[str, list[str], set[str]]]] = [
    [
        ("report_facts", [], set()),
        ("games", [PLAYERS + "rw_ftpl"], {"numpy"}),
        ("games", [PLAYERS + "tree_ftpl"], {"numpy"}),
        ("games", [PLAYERS + "yardsticks"], {"numpy"}),
        ("checks", [CHECKS + "p000.tree_baseline"], {"numpy"}),
        ("panels", [], {"numpy", "pandas"}),
        ("ledger", [], {"jsonschema", "numpy", "pandas", "yaml"}),
    ],
    [("verdicts", [], {"jsonschema", "yaml"})],
    [("manifest", [], {"importlib.metadata"})],  # it lists the packages
]
TELL = "import sys; print(*sys.modules)"


def _loaded(*programs: str) -> list[set[str]]:
    """Return what is loaded by the end of each program, one after the other in one new process."""
    words = [sys.executable, "-c", "\n".join(f"{program}\n{TELL}" for program in programs)]
    output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [{*line.split()} for line in output.splitlines()]


def _imports(stage: str) -> str:
    """Return what a stage imports before it works."""
    nodes = ast.walk(ast.parse(inspect.getsource(stages()[stage])))
    return "\n".join(ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def test_the_command_line_and_what_plans_a_run_load_nothing_slow() -> None:
    """In one process: what the command line loads, a plan may load too."""
    modules = ("workflow.reproduce", "workflow.plan", "workflow.workflow_inputs")
    programs = ["from private_experts.replication.workflow.cli import parser; parser()"]
    programs += [f"import private_experts.replication.{module}" for module in modules]
    command_line, *plans = _loaded(*programs)
    assert command_line & {*SLOW, "dataclasses", "hashlib", "inspect", "tempfile"} == set()
    for module, loaded in zip(modules, plans, strict=True):
        assert loaded & SLOW <= {"jsonschema", "yaml"}, module


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0][0])
def test_a_stage_loads_nothing_slow_but_what_it_needs(chain: list[tuple[str, list[str], set[str]]]) -> None:
    assert all(before[2] <= after[2] for before, after in pairwise(chain))
    first = "import private_experts.replication.workflow.cli"
    programs = [
        "\n".join([first, _imports(stage), *(f"import {module}" for module in used)])
        for stage, used, _ in chain
    ]
    for (stage, used, needed), loaded in zip(chain, _loaded(*programs), strict=True):
        assert loaded & SLOW <= needed, (stage, used)


def test_nobody_loads_the_optimizer_or_parts_of_numpy_that_are_not_used_and_both_would_be_seen() -> None:
    of_stages = "from private_experts.replication.workflow.cli import _load_numpy_alone; _load_numpy_alone()"
    nothing, special, players, asked = _loaded(
        "import private_experts",
        f"{of_stages}\nimport scipy.special",
        "from private_experts.replication.study import players; players.central()",
        "import numpy; numpy.f2py; import scipy.optimize",
    )
    assert nothing & SLOW == set()
    assert special >= {"numpy", "scipy"}
    assert "private_experts.replication.study.players.private_leaders" in players
    for name in ("numpy.f2py", "scipy.optimize"):
        assert name not in players
        assert name in asked
