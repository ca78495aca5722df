"""A workflow in a temporary copy of the project: a small run, shared; what dry runs would redo."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from private_experts.errors import PROGRAM
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.workflow.fingerprint import Source
from tests.once import once
from tests.workflow import forks

ROOT = Path(__file__).parents[2]
NEEDED = (
    "Snakefile",
    "profiles",
    "workflow",
    "config",
    "claims",
    "src",
    "resources",
    "requirements.lock",
    "CITATION.cff",
    "environment.yml",
    "environment.post-deploy.sh",
    "pyproject.toml",
)

# The smoke study in a still smaller form: every rule, every kind of scenario, and as few jobs as that takes.
SMALLER = {
    "repetitions": 2,
    "hospital": {"data": "synthetic", "states": ["NM"], "synthetic": {"weeks": 12}},
    "generality": {"states": ["NM"]},
    "readings": {
        "families": ["trend", "autoregression-1"],
        "strengths": {"narrow": [0.1, 1, 10]},
        "repetitions": 4,
    },
    "evidence": {"quick": False},  # so that claims share jobs as in the whole study
    "batching": {"experts": [2], "horizon": 30, "rounds": [10], "gaps": [1], "repetitions": 20},
}
CHOICES = {
    "suppression": {"suppressed-as-0": {"hospital": {"suppressed_value": 0}}},
    "learner-family": {
        "gaussian-process": {"learners": {"family": "gaussian-process"}},
        "autoregression": {"learners": {"family": "autoregression-1"}},
    },
}
# The ledger in small: the claims kept, and what is changed of each. One exact, one stochastic, two on panels,
# one on Table 2 (which here has too few weeks), and one of an erratum.
LEDGER = "claims/000.yaml"
KEPT: dict[str, dict[str, Any]] = {
    "000/tree-nodes": {"grid": {"T": [2, 9]}, "seconds": 7},
    "000/lemma-3": {"grid": {"T": [1, 4], "level": [0.5, 1.0]}, "quick": {"T": [1]}, "seconds": 9},
    "000/proxy-law-hospital": {"grid": {"eta": [1.0], "t": [4], "b": [1], "least": 0.0}, "quick": {}},
    "000/table-2-words": {"real_data_only": False, "repetitions": 20, "cap": 20, "seconds": 9},
    "000/table-2-values": {"real_data_only": False},
    "000/rw-meta-centring": {"grid": {"structure": ["random"], "m": [3], "instances": 3}, "quick": {}},
}
DRAWN = ["000/lemma-3"]  # what the claims' figure shows here
# The notebook in small: one cell that plays nothing, and shows a table and a drawing.
NOTEBOOK = """# %% [markdown]
# # In small

# %%
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.report.notebook_reader import drawn, find, tabled

SEED = 2026
print(find().data)
tabled(pd.DataFrame({"seed": [SEED]}))

# %%
figure = Figure(figsize=(2, 1))
figure.subplots().plot([1, 3, 2])
drawn(figure, "a zigzag")
"""
CONFIGS = ("config/smoke.yaml", "config/smaller.yaml")
CODE = "results/smoke/code"
PARSED = f"{CODE}/parsed.json"
PRODUCTS = {".csv", ".md", ".tex", ".svg", ".ipynb", ".html"}
TIMED = "index.html"  # the reviewer's page says how long everything took, so no two runs write the same bytes


class Job(NamedTuple):
    """A job of the workflow: its rule, and its wildcards as Snakemake prints them."""

    rule: str
    wildcards: str = ""


class Files(NamedTuple):
    """The files that a job reads and writes."""

    inputs: frozenset[str]
    outputs: frozenset[str]


Plan = dict[Job, Files]


class Project:
    """A copy of the project in which Snakemake runs, with its own copy of the package."""

    def __init__(self, root: Path, variables: Mapping[str, str] | None = None) -> None:
        self.root = root
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)  # what was compiled tells what was imported
        ours = {"PYTHONPATH": str(root / "src"), "OPENBLAS_NUM_THREADS": "1"}
        self.environment = kept | ours | dict(variables or {})

    def __truediv__(self, path: str) -> Path:
        return self.root / path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy to its end."""
        command = [sys.executable, *words]
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    def fork(self, *words: str, program: str = forks.SNAKEMAKE) -> subprocess.CompletedProcess[str]:
        """Run Snakemake or a command of ours in the copy to its end."""
        return forks.run(self.root, self.environment, *words, program=program)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start Python in the copy, in a process group of its own; what it says is in said.txt."""
        with (self / "said.txt").open("wb") as output:
            return subprocess.Popen(
                [sys.executable, *words],
                cwd=self.root,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Tests that run in the background may have been told to ignore Ctrl-C; these runs are not.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )


SNAKEMAKE = ("-m", "snakemake", "--configfile", *CONFIGS)
REPRODUCE = (
    "-m",
    "private_experts.replication.workflow.reproduce",
    "--results",
    "results/smoke",
    "--configfile",
    *CONFIGS,
)


def copy_files(target: Path, names: Iterable[str]) -> None:
    """Copy files and folders of the project, without what was compiled; figures then get one format alone.

    That figures have the same bytes every time in all formats is seen where they are drawn.
    """
    for name in names:
        source = ROOT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(
                source,
                target / name,
                symlinks=True,
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
            )
        else:
            shutil.copy2(source, target / name, follow_symlinks=False)
    suffixes = target / "src/private_experts/replication/plotting/suffixes.py"
    text, changed = re.subn(r"^FIGURE = .*$", 'FIGURE = (".svg",)', suffixes.read_text(), flags=re.MULTILINE)
    assert changed == 1
    suffixes.write_text(text)


def copy_sources(target: Path) -> Project:
    """Copy what the workflow needs, with few choices in the study, few claims and few notebook cells."""
    copy_files(target, NEEDED)
    (target / "paper").mkdir()
    (target / "paper/replication.py").write_text(NOTEBOOK)
    study = target / "config/study.yaml"
    study.write_text(yaml.safe_dump(load_yaml(study.read_text()) | {"sensitivity": CHOICES}))
    (target / CONFIGS[-1]).write_text(yaml.safe_dump(SMALLER))
    ledger = load_yaml((target / LEDGER).read_text(encoding="utf-8"))
    claims = {claim["id"]: claim for claim in ledger["claims"]}
    alone = {"rests_on": []}  # what they rest on is left out
    ledger["claims"] = [claims[name] | alone | changes for name, changes in KEPT.items()]
    ledger["figures"] = [
        figure | {"claims": DRAWN} for figure in ledger["figures"] if figure["name"] == "tightness"
    ]
    for other in (target / "claims").glob("[0-9]*.yaml"):
        other.unlink()
    # else what claims share is dumped once, and a copied claim has it twice
    ledger = json.loads(json.dumps(ledger))
    (target / LEDGER).write_text(yaml.safe_dump(ledger, sort_keys=False, width=1000), encoding="utf-8")
    return Project(target)


def copy_project(project: Path, target: Path, *without: str) -> Project:
    """Copy a project with its results and Snakemake's records, all dates kept; `without` are left out."""
    left_out = {project / name for name in without}
    assert all(path.exists() for path in left_out)
    shutil.copytree(
        project,
        target,
        symlinks=True,
        ignore=lambda folder, names: {n for n in names if Path(folder, n) in left_out},
    )
    return Project(target)


def before_any_run(target: Path, finished: Path, variables: Mapping[str, str] | None = None) -> Project:
    """Copy a finished project as it was before its run, but for what was parsed of its modules."""
    fresh = Project(copy_sources(target).root, variables)
    lend_parsed(finished, fresh.root)
    return fresh


def lend_parsed(finished: Path, target: Path) -> None:
    """Let a copy use the parsed form of a project's modules, which counts for that source wherever it is."""
    (target / CODE).mkdir(parents=True, exist_ok=True)
    shutil.copy2(finished / PARSED, target / PARSED)


@contextmanager
def edited(path: Path, change: str) -> Iterator[None]:
    """Change the one place in a file that looks so, as in ``count += «1→2»``, and restore it in the end."""
    before = path.read_text(encoding="utf-8")
    start, old, new, end = re.split("[«→»]", change)
    place = start + old + end
    assert before.count(place) == 1, f"{path.name} has {place!r} {before.count(place)} times"
    path.write_text(before.replace(place, start + new + end), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def digests(project: Path) -> dict[str, str]:
    """Return the SHA-256 of all results and products, but for what tells when and where a run was."""
    results = project / "results/smoke"
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.suffix in PRODUCTS and not path.name.startswith(".") and path.name != TIMED
    }


def until(
    happened: Callable[[], Any], process: subprocess.Popen[bytes] | None, project: Project, bound: float = 300
) -> Any:
    """Wait until something happened while a project's process runs, and return it; none may end before."""
    deadline = time.monotonic() + bound
    while not (found := happened()):
        assert process is None or process.poll() is None, (
            f"ended too early: {(project / 'said.txt').read_text()}"
        )
        assert time.monotonic() < deadline, f"nothing happened for {bound:.0f} s"
        time.sleep(0.01)
    return found


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill all that is left of a process and of what it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


Planning = Callable[..., Plan]
DryRun = Callable[..., set[Job]]
Asking = Callable[..., str]


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    """Return a function: what Snakemake, or our command, says in a project with more arguments or config."""
    folder = tmp_path_factory.mktemp("dry-runs")

    def answer(
        project: Project, *words: str, config: Mapping[str, Any] | None = None, ours: bool = False
    ) -> str:
        files = [*CONFIGS]
        if config is not None:
            changes = folder / "changes.yaml"
            changes.write_text(yaml.safe_dump(config))
            files.append(str(changes))
        done = project.fork(*words, "--configfile", *files, program=PROGRAM if ours else forks.SNAKEMAKE)
        text = done.stdout + done.stderr
        assert done.returncode == 0, text
        return text

    return answer


@pytest.fixture(scope="session")
def planning(asking: Asking) -> Planning:
    """Return a function: what Snakemake would run in a project, with further arguments or config."""
    return lambda project, *words, **settings: _jobs(asking(project, *words, "-n", "-p", **settings))


def _jobs(text: str) -> Plan:
    """Read the jobs from what a dry run says."""
    found = []
    for block in re.split(r"^(?:local)?rule (?=\w+:$)", text, flags=re.MULTILINE)[1:]:
        output = dict(re.findall(r"^    (wildcards|input|output): (.*)$", block, re.MULTILINE))
        inputs, outputs = (
            frozenset(filter(None, output.get(name, "").split(", "))) for name in ("input", "output")
        )
        found.append((Job(block.partition(":")[0], output.get("wildcards", "")), Files(inputs, outputs)))
    total = re.search(r"^total\s+(\d+)$", text, re.MULTILINE)
    if total is None:
        assert "Nothing to be done" in text, text
    assert len(found) == len(dict(found)) == (int(total[1]) if total else 0), text
    return dict(found)


@pytest.fixture(scope="session")
def dry_run(planning: Planning) -> DryRun:
    """Return a function: the jobs that Snakemake would run in a project, with further arguments or config."""
    return lambda *words, **settings: {*planning(*words, **settings)}


def restamped(project: Project) -> set[str]:
    """Return the stamps that the code of a project no longer agrees with."""
    source, changed = Source(project / "src", memo=project / PARSED), set()
    for path in {*(project / CODE).glob("*.txt")} - {project / CODE / "packages.txt"}:
        module, _, name = path.stem.rpartition(".")
        output = [f"{name} {code}" for name, code in source.reach(f"private_experts.{module}:{name}").items()]
        if path.read_text(encoding="utf-8").splitlines() != output:
            changed.add(f"{CODE}/{path.name}")
    return changed


def after(plan: Plan, changed: set[str]) -> set[Job]:
    """Return the jobs that read files that changed, and the jobs that read what these write."""
    found: set[Job] = set()
    while new := {job for job, files in plan.items() if job not in found and files.inputs & changed}:
        found |= new
        changed = changed.union(*(plan[job].outputs for job in new))
    return found


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project after one uninterrupted run on one core; all test processes share it."""

    def run(target: Path) -> None:
        done = copy_sources(target).fork(*SNAKEMAKE[2:], "--cores", "1")
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "finished-project", run)


@pytest.fixture(scope="session")
def project(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return this test process's own copy of the finished project; whoever edits it puts it back."""
    return copy_project(finished, tmp_path_factory.mktemp("project") / "copy")


@pytest.fixture(scope="session")
def all_told(project: Project, asking: Asking) -> str:
    """Return what Snakemake says of all jobs of the study, with their commands."""
    return asking(project, "--forceall", "-n", "-p")


@pytest.fixture(scope="session")
def plan(all_told: str) -> Plan:
    """Return all jobs of the study with their files."""
    return _jobs(all_told)


@pytest.fixture(scope="session")
def everything(plan: Plan) -> set[Job]:
    """Return all jobs of the study."""
    return {*plan}
