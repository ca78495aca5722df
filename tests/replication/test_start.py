"""Most jobs are short, so what a stage imports is much of what it costs. Modules are bounded here, not seconds.

NumPy takes about a tenth of a second to load, SciPy's special functions and pandas two tenths or more each.
"""

import ast
import inspect
import subprocess
import sys

import pytest

from private_experts.replication.cli import stages

SLOW = {"importlib.metadata", "jinja2", "jsonschema", "matplotlib", "mpmath", "numpy", "pandas", "requests", "scipy"}
SLOW |= {"yaml"}
PLAYERS = "private_experts.replication.hospital.players."
CHECKS = "private_experts.replication.claims.checks."


def _slow(program: str) -> set[str]:
    """Return the slow modules that a program has loaded by its end, in a process of its own."""
    return _loaded(program) & SLOW


def _loaded(program: str) -> set[str]:
    words = [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"]
    return {*subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()}


def _imports(stage: str) -> str:
    """Return what a stage imports before it works."""
    nodes = ast.walk(ast.parse(inspect.getsource(stages()[stage])))
    return "\n".join(ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def test_the_command_line_starts_without_anything_slow() -> None:
    loaded = _loaded("from private_experts.replication.cli import parser; parser()")
    assert loaded & {*SLOW, "dataclasses", "hashlib", "inspect", "tempfile"} == set()


@pytest.mark.parametrize("module", ["run.reproduce", "run.plan.jobs", "wiring"])
def test_what_plans_a_run_loads_neither_numbers_nor_tables_nor_the_network(module: str) -> None:
    assert _slow(f"import private_experts.replication.{module}") <= {"jsonschema", "yaml"}


@pytest.mark.parametrize(
    ("stage", "used", "needed"),
    [
        pytest.param("games", [PLAYERS + "rw_ftpl"], {"numpy"}, id="rw-ftpl"),
        pytest.param("games", [PLAYERS + "tree_ftpl"], {"numpy"}, id="tree-ftpl"),
        pytest.param("games", [PLAYERS + "yardsticks"], {"numpy"}, id="yardsticks"),
        pytest.param("checks", [CHECKS + "paper_000.tree"], {"numpy"}, id="an exact check"),
        pytest.param("claims_tex", [], set(), id="claims-tex"),
        pytest.param("verdicts", [], {"jsonschema", "yaml"}, id="verdicts"),
        pytest.param("manifest", [], {"importlib.metadata"}, id="manifest"),  # it lists the packages
        pytest.param("ledger", [], {"jsonschema", "numpy", "pandas", "yaml"}, id="ledger"),
        pytest.param("panels", [], {"numpy", "pandas"}, id="panels"),
    ],
)
def test_a_stage_loads_nothing_slow_but_what_it_needs(stage: str, used: list[str], needed: set[str]) -> None:
    program = "\n".join(
        ["import private_experts.replication.cli", _imports(stage), *(f"import {each}" for each in used)]
    )
    assert _slow(program) <= needed


def test_what_is_slow_would_be_seen() -> None:
    assert _slow("from private_experts.privacy import gaussian_mechanism") >= {"numpy", "scipy"}
