"""Imports point one way: from replication to library, and in each wing from upper rooms to lower."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/private_experts"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
# The rooms of each wing, lowest floor first. A room may import itself and the rooms of the floors below.
LIBRARY = [
    {"errors"},
    {"ownership"},
    {"arrays", "descriptions", "lazy"},
    {"randomness", "tabular", "ties"},
    {"validation"},
    {"privacy", "walks"},
    {"algorithms", "distribution_learning", "learners", "private_oco"},
    {"games", "saving"},
]
REPLICATION = [
    {"files"},
    {"records", "stage_cli"},
    {"plotting"},
    {"study"},
    {"ledger"},
    {"balls"},
    {"papers"},
    {"verify"},
    {"report"},
    {"workflow"},
]
FLOORS = [{"private_experts"}] + [{f"private_experts.{room}" for room in floor} for floor in LIBRARY]
FLOORS += [{"private_experts.replication"}]
FLOORS += [{f"private_experts.replication.{room}" for room in floor} for floor in REPLICATION]
FLOORS += [{"private_experts.__main__"}]
FLOOR = {room: number for number, floor in enumerate(FLOORS) for room in floor}
FOREIGN = {"numpy", "scipy"}  # all that the library needs
# A file is found by its name. Players are named after algorithms; the library's packages have these words in
# common.
OPTIONAL = {  # extras: the secure noise; tables and pictures of experiments
    "private_experts.privacy.noise": {"opendp"},
    "private_experts.games.regret_by_level": {"matplotlib", "pandas"},
}


def room(module: str) -> str:
    """Return the room of a module, or the wing's own name."""
    words = module.split(".")
    return ".".join(words[: 3 if words[1:2] == ["replication"] else 2])


def library(module: str) -> bool:
    """Tell whether a module belongs to the library wing."""
    return room(module) in FLOOR and not module.startswith(
        ("private_experts.replication", "private_experts.__main__")
    )


def imported(path: Path) -> Iterator[str]:
    """Yield the modules and names a file imports anywhere, in functions and for type checkers as well."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the import in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def all_imported() -> dict[str, set[str]]:
    """Return what each module imports."""
    return {module: set(imported(path)) for module, path in MODULES.items()}


def points_up(module: str, target: str) -> bool:
    """Tell whether an import leads to another room that is not on a lower floor; a new room has no floor yet.

    The top level has the version, for every floor, and offers names of the library, imported when they are
    used.
    """
    if target.partition(".")[0] != "private_experts" or room(target) == room(module):
        return False
    if module == "private_experts":
        return not library(target)
    return FLOOR[room(target)] >= FLOOR[room(module)] if room(target) in FLOOR else True


def test_every_room_has_its_floor() -> None:
    assert {room(module) for module in MODULES} == FLOOR.keys()


def test_file_names_are_unique() -> None:
    # named as the config calls them
    found = [path for path in MODULES.values() if path.parent.name != "players"]
    stems = [path.stem for path in found if path.stem != "__init__"]
    assert {stem for stem in stems if stems.count(stem) > 1} == set()


def test_imports_point_to_lower_floors_only() -> None:
    arrows = [(module, target) for module, targets in all_imported().items() for target in sorted(targets)]
    assert len(arrows) > 1000
    assert [f"{module} imports {target}" for module, target in arrows if points_up(module, target)] == []


def beside(module: str, names: set[str]) -> set[str]:
    """Return the other modules of its room that a module imports names from, type checkers' as well."""
    found = {name if name in MODULES else name.rpartition(".")[0] for name in names} & MODULES.keys()
    return {other for other in found - {module} if room(other) == room(module) and other != room(other)}


def circles(edges: dict[str, set[str]]) -> set[str]:
    """Return the modules that import themselves by way of others."""

    def reached(module: str) -> set[str]:
        found: set[str] = set()
        ahead = [*edges[module]]
        while ahead:
            if (other := ahead.pop()) not in found:
                found.add(other)
                ahead += edges[other]
        return found

    return {module for module in edges if module in reached(module)}


def test_no_modules_of_a_room_import_each_other_in_a_circle() -> None:
    edges = {module: beside(module, names) for module, names in all_imported().items()}
    assert sum(map(len, edges.values())) > 300
    assert circles(edges) == set()
    first = "private_experts.privacy.noise"
    second = next(iter(beside(first, all_imported()[first])))
    assert circles(edges | {second: edges[second] | {first}}) >= {first, second}


def test_the_way_from_a_report_to_table_2_has_nineteen_files_and_leads_one_way() -> None:
    text = (ROOT / "docs/map.md").read_text().partition("## From a report to Table 2")[2].partition("## ")[0]
    rows = re.findall(r"^\|[^|]*\| `\w+` \|([^|]*)\|", text, re.MULTILINE)
    dotted = [re.findall(r"`([\w/]+)\.py`", row.replace("/__init__.py", ".py")) for row in rows]
    steps = [[f"private_experts.{name.replace('/', '.')}" for name in names] for names in dotted]
    step_of = {module: number for number, modules in enumerate(steps) for module in modules}
    assert len(steps) == 4
    assert len(step_of) == sum(map(len, steps)) == 19
    ahead = {
        (module, other)
        for module in step_of
        if not module.endswith("_stages")
        for other in beside(module, all_imported()[module]) & step_of.keys()
        if step_of[other] > step_of[module]
    }
    assert ahead == set()


def test_an_import_upwards_would_be_seen() -> None:
    algorithms, hospital = "private_experts.algorithms.hedge", "private_experts.replication.study.data.panel"
    assert points_up(algorithms, "private_experts.games.play")
    # rooms of one floor do not know each other
    assert points_up(algorithms, "private_experts.private_oco.domains.Box")
    assert points_up(algorithms, "private_experts.replication.files.write_text")
    assert points_up(hospital, "private_experts.replication.ledger.ledger")
    assert points_up(hospital, "private_experts.replication.brand_new")
    assert points_up("private_experts", "private_experts.replication.files.write_text")
    assert not points_up(hospital, "private_experts.replication.files.write_text")
    assert not points_up(hospital, "private_experts.games.play")


def test_the_library_imports_numpy_and_scipy_alone() -> None:
    allowed, targets = {"private_experts", *FOREIGN, *sys.stdlib_module_names}, all_imported()
    foreign = {
        module: extra
        for module in filter(library, MODULES)
        if (
            extra := {target.partition(".")[0] for target in targets[module]}
            - allowed
            - OPTIONAL.get(module, set())
        )
    }
    assert foreign == {}


def test_pyproject_names_all_that_is_imported_for_results() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    words = [*project["dependencies"], *extras["workflow"], *extras["secure"]]
    declared = {re.split(r"[<>=!~ \[]", word)[0] for word in words}
    plugin = ROOT / "src/snakemake_logger_plugin_one_line"
    others = [*map(imported, [*plugin.glob("*.py"), ROOT / "paper/replication.py"])]
    foreign = {
        target.partition(".")[0] for targets in [*all_imported().values(), *others] for target in targets
    }
    foreign -= {*sys.stdlib_module_names, PACKAGE.name, plugin.name}
    assert len(foreign) > 20
    # modules and their distributions
    called = {"flint": "python-flint", "markdown_it": "markdown-it-py", "yaml": "pyyaml"}
    assert {called.get(name, name.replace("_", "-").lower()) for name in foreign} - declared == set()


def test_importing_the_library_loads_nothing_of_the_replication_or_its_tools() -> None:
    modules = [module for module in MODULES if library(module)]
    assert len(modules) > 60
    program = "import importlib, sys; [*map(importlib.import_module, sys.argv[1:])]; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program, *modules], capture_output=True, text=True, check=True
    )
    loaded = set(ran.stdout.split())
    assert set(modules) <= loaded
    tools = ("matplotlib", "opendp", "pandas", "snakemake", "yaml", "private_experts.replication")
    assert [name for name in sorted(loaded) if name.startswith(tools)] == []


UNSEEDED = re.compile(
    r"default_rng\(\)|\bnp\.random\.(?!default_rng\b|Generator\b|SeedSequence\b|PCG64\b|SFC64\b"
    r"|BitGenerator\b)\w+"
)


def test_no_generator_is_made_without_a_seed() -> None:
    """Nor is numpy's own generator used, which all share."""
    found = [
        f"{path.relative_to(PACKAGE)}: {words[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for words in UNSEEDED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    for wrong in ("rng = np.random.default_rng()", "np.random.normal(0, 1)", "np.random.seed(3)"):
        assert UNSEEDED.search(wrong)
