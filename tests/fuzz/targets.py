"""What reads files that people or earlier runs wrote: each takes a file, or refuses it in one line."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from private_experts.algorithms import Hedge
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication import records, stage_cli
from private_experts.replication.ledger import ledger, timing
from private_experts.replication.ledger.bundles import bundles
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.plotting import data_label
from private_experts.replication.study.data import cleaning, hospital_reports, panel
from private_experts.replication.workflow import config as configuration
from private_experts.replication.workflow.cli import stages
from private_experts.saving import load, save
from tests.bad_input.desk import GOOD

ROOT = Path(__file__).parents[2]
STUDY = load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))
FIGURES = ("patients", "beds")
RULES = cleaning.Cleaning(("patients",), ("beds",), ("patients",), 2.0, 0.0, 0.0, "2020-08-07", "2023-06-04")


def hospital_csv(path: Path) -> None:
    """Read hospital reports, and clean those of every state."""
    table = hospital_reports.read(path, FIGURES)
    states = sorted(table["state"].unique())
    cleaning.clean_all(table, states, RULES)


def config(path: Path) -> None:
    """Read a config laid over the study, check it, and give every stage its flags."""
    merged = configuration.laid_over(STUDY, configuration.read(path))
    configuration.check(merged, ROOT / "config/schema.yaml")
    for stage in stages().values():
        stage_cli.flags(stage, merged)


def claims(path: Path) -> None:
    """Read a paper's claims, deal them out to jobs, and find the code of each."""
    read = ledger.read([path], ROOT / "claims/schema.yaml")
    for quick in (False, True):
        bundles(read.claims.values(), quick)
    for claim in read.claims.values():
        claim.experiment(quick=True)
        ledger.code_of(claim)


def hedge() -> Hedge:
    """Return an algorithm whose state is saved and loaded."""
    return Hedge(2, rng=rng_for(0, "fuzz"))


def saved() -> bytes:
    """Return what a file of a saved state holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.state"
        save(path, hedge())
        return path.read_bytes()


def beds_csv(path: Path) -> None:
    """Read the beds of a panel, which is as it should be."""
    beside = path.parent / "with-beds"
    beside.mkdir(exist_ok=True)
    (beside / "NM.csv").write_text(
        "week,smallest_beds,010001\n2021-01-01,12.0,0.25\n2021-01-08,12.0,0.5\n", encoding="utf-8"
    )
    panel.beside(beside / "NM.csv", "beds").write_bytes(path.read_bytes())
    panel.read(beside / "NM.csv")


TARGETS: Mapping[str, Callable[[Path], object]] = {
    "hospital.csv": hospital_csv,
    "NM.csv": panel.read,
    "beds.csv": beds_csv,
    "config.yaml": config,
    "claims.yaml": claims,
    "evidence.csv": lambda path: records.read_rows(path, ("value", "bound")),
    "totals.csv": lambda path: records.read_records([path, path], ("state", "mu")),
    "provenance.json": data_label.data_label,
    "job.log": lambda path: list(timing.read(path.parent)),
    "a.state": lambda path: load(path, hedge()),
}

# Something that each takes.
SEEDS: Mapping[str, str | bytes] = {
    "hospital.csv": GOOD,
    "beds.csv": "week,010001\n2021-01-01,12.0\n2021-01-08,14.5\n",
    "NM.csv": "week,smallest_beds,010001,010002\n2021-01-01,80.0,0.75,0.25\n2021-01-08,80.0,0.5,0.25\n",
    "config.yaml": (ROOT / "config/smoke.yaml").read_text(encoding="utf-8"),
    "claims.yaml": """paper: "000"
title: A title
claims:
  - {id: 000/a, place: Section 1, standing: [FOUND], kind: exact, statement: $x$, latex: x, mathematics: a,
     rule: R.,
     rests_on: [000/b/as-printed], survives: So.,
     check: &check "p000.tree_baseline:tree_nodes", grid: {T: [2, 3]}, quick: {T: [2]}, expected: holds,
     seconds: 1}
  - {id: 000/b/as-printed, place: "2", standing: [DERIVED], kind: stochastic, statement: y, latex: y,
     mathematics: b,
     rests_on: [], rule: R., check: *check, repetitions: 2, cap: 4, expected: fails, seconds: 9.5,
     erratum: E000-1}
errata:
  - {name: E000-1, title: A slip, said_by: paper, seen: Section 2, severity: misprint}
figures:
  - {name: one, title: One, caption: C, alt: A, draw: "p000.figures_000:one", claims: [000/a]}
""",
    "evidence.csv": 'T,value,low,high,bound,verdict\n2,1.0,1.0,1.0,2,holds\n3,"1,5",1,2,inf,fails\n',
    "totals.csv": "state,algorithm,mu,repetition,total,switches\nNM,rw-ftpl,0.5,0,1.5,2\n"
    "NM,rw-ftpl,inf,1,2.5,0\n",
    "provenance.json": '{"label": "HHS", "kind": "file", "rows": 12, "more": [1, null, {"a": 1e3}]}\n',
    "job.log": "000/a took 1.25 s, 1.00 s of CPU, 80 MB\ntook 2.50 s, 2.25 s of CPU, 81 MB, 0.11 s of CPU to "
    "start\n",
    "a.state": saved(),
}


def seed(name: str) -> bytes:
    """Return the bytes of a file that is taken."""
    content = SEEDS[name]
    return content if isinstance(content, bytes) else content.encode()


def answers(name: str, content: bytes, folder: Path) -> bool:
    """Tell whether a file is taken; when it is not, it must be refused in one line."""
    path = folder / name
    path.write_bytes(content)
    try:
        TARGETS[name](path)
    except InputError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        assert "\r" not in message
        return False
    return True
