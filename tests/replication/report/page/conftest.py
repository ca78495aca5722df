"""What a run leaves, made up: the ledger of all papers with verdicts of every kind, and files beside it."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from private_experts.replication.ledger import ledger as room
from private_experts.replication.ledger.evidence import Point, worst
from private_experts.replication.ledger.grading import measured
from private_experts.replication.ledger.timing import Account
from private_experts.replication.report.claims_stages import page
from private_experts.replication.report.findings import PICTURE
from private_experts.replication.report.page import listings
from private_experts.replication.study.published import HOSPITALS, TABLE_2
from private_experts.replication.study.statements import BEST
from tests.once import once
from tests.replication.ledger.ledgers import CITED, statements
from tests.replication.ledger.ledgers import KNOWN as LEDGER
from tests.replication.report.page.reading import filled

# points of the first claim, more than the page shows; bounds from 200 on are no better than the trivial one
MANY = 217
DRAWING = (
    '<?xml version="1.0"?><!-- a comment --><svg xmlns="http://www.w3.org/2000/svg" width="75pt" '
    'height="60pt" viewBox="0 0 75 60"><metadata>none</metadata><path id="a" d="M 0.123456 1.5 L '
    '74.987654 59" stroke="#000000"/></svg>'
)


def points(number: int, count: int, fails: bool) -> list[Point]:
    """Return made-up points: all hold, or the last one is a counterexample."""
    trivial = 200.0 if count == MANY else None
    row = [
        Point({"n": 2 + k, "T": 100}, 1.0, 2.0 + number + k, 0.9, 1.1, trivial=trivial) for k in range(count)
    ]
    return [*row[:-1], Point({"n": 99, "T": 100}, 5.0, 2.0, 4.5, 5.5)] if fails else row


def small(kept: int) -> room.Ledger:
    """Return a ledger of a paper's first claims one claim of each other paper, and three figures."""
    names = [*LEDGER.claims][:kept]
    names += [
        next(name for name in LEDGER.claims if name.startswith(paper)) for paper in [*LEDGER.papers][1:]
    ]
    pictures = [replace(figure, claims=names[:2]) for figure in [*LEDGER.figures.values()][:3]]
    return room.Ledger(
        LEDGER.papers,
        {name: LEDGER.claims[name] for name in names},
        {figure.stem: figure for figure in pictures},
        LEDGER.errata,
    )


def verdicts(ledger: room.Ledger) -> dict[str, dict[str, Any]]:
    """Return a verdict of each claim: as expected but for two, one undecided and one not run."""
    made: dict[str, dict[str, Any]] = {}
    for number, (name, claim) in enumerate(ledger.claims.items()):
        rows = points(number, MANY if number == 0 else 3, claim.expected == "fails" or number == 1)
        nearest = worst(rows)
        made[name] = {
            "verdict": "fails" if nearest.margin[1] < 0 else "holds",
            "margin": list(nearest.margin),
            "worst": nearest.row(),
            "points": len(rows),
            **({"vacuous": sum(point.vacuous for point in rows)} if number == 0 else {}),
            "measured": measured([point.row() for point in rows]),
            "repetitions": claim.repetitions,
            "seed": 2026,
            "fingerprint": f"{number:016x}",
            "statements": statements(claim),
            "rows": [point.row() for point in rows],
        }
        if number == 2:
            made[name]["verdict"] = "undecided"
        if number == 3:
            idle = {"verdict": "not run", "reason": "too few weeks"}
            made[name] = idle | {"fingerprint": "0" * 16, "rows": []}
    return made


def manifest(synthetic: bool = False) -> dict[str, Any]:
    data = {"rows": 1000, "first_week": "2021-01-01", "last_week": "2022-10-21", "states": ["NM", "PA"]}
    origin = {"kind": "pinned", "label": "HHS hospital reports, 72 weeks", "patients": "confirmed"}
    origin |= {"name": "x.csv.gz", "sha256": "ab" * 32}
    if synthetic:
        origin = {"kind": "synthetic", "label": "SYNTHETIC DATA (seed 1)", "name": "seed 1", "seed": 1}
    stamps = {"stages.rw_meta": "d" * 64, "checks.p000.tree_baseline:tree_nodes": "e" * 64}
    machine = {"python": "3.12.0", "system": "Linux", "architecture": "x86_64", "processor": "some"}
    machine |= {"cores": 2, "blas": ["Haswell"], "simd": ["X86_V3"]}
    machine |= {"packages": {"numpy": "2.2.0", "SciPy": "1.15.0", "other": "1"}}
    return {
        "code": {"commit": "c" * 40, "dirty": False, "fingerprints": stamps},
        "config": {"sha256": "e" * 64, "values": {"seed": 2026, "privacy_levels": [float("inf"), 1]}},
        "data": {**data, "weeks": {"NM": 72, "PA": 72}, **origin},
        "machine": machine,
        "outputs": {},
        "seeds": {"study": 2026, "synthetic": 1},
    }


PRICE = {"average_same": 0.08, "average_own": 0.71, "matched_same": 18.7, "matched_own": 12.9}
PRICE |= {"public_same": 2.9, "public_own": 6.5, "covered_same": 11.8, "covered_own": 12.3, "matched_mu": 1}
SAME = "RW-Meta, own > RW-Meta, same"
LEADS = {"mu": 0.5} | {
    f"{lead}{end}": 1.0
    for lead in (SAME, "posterior means, own > posterior means, same")
    for end in ("", " pm")
}


# some of the paper's, the first and the last among them; four are of those that were copied by hand
WEEKS = ("2020-08-07", "2020-08-14", "2020-12-18", "2021-01-22", "2021-01-29", "2023-06-02")


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def table_2(weeks: int = 72) -> list[dict[str, Any]]:
    """Return rows of Table 2 that are half of the published ones, and one state the paper lacks."""
    names = ("rw_meta", "min_noise", "min_regret", "best_linear")
    rows = []
    for (state, mu), printed in {**TABLE_2, ("VT", 1.0): (1.0, 2.0, 3.0, 4.0)}.items():
        row: dict[str, Any] = {"state": state, "weeks": weeks, "mu": mu}
        row["hospitals"] = HOSPITALS.get(state, 12)
        for name, value in zip(names, printed, strict=True):
            row |= {name: value / 2, f"{name}_pm": 0.25}
        row |= {"lead": 1.0, "lead_pm": 0.5, "rw_ftpl": 0.25, "best_hospital": printed[0] / 3}
        row |= {"ratio_to_min_noise": printed[0] / printed[1], "ratio_to_min_noise_pm": 0.0}
        row |= {"ratio_to_min_regret": printed[0] / printed[2], "ratio_to_min_regret_pm": 0.0}
        rows.append(row | {"ratio_to_best_linear": 0.9, "ratio_to_best_linear_pm": 0.01})
    return rows


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def left(folder: Path, synthetic: bool = False, ledger: room.Ledger = LEDGER) -> dict[str, Any]:
    """Write what a run leaves, and return the options of the stage."""
    made = verdicts(ledger)
    rows = {name: verdict.pop("rows") for name, verdict in made.items()}
    record = manifest(synthetic)
    elsewhere = folder / "paper/tables/own-counts-elsewhere.csv"
    record["outputs"] = {elsewhere.as_posix(): {"bytes": 1, "sha256": "0" * 64}}
    write(elsewhere, as_csv([{"state": "AL"} | LEADS, {"state": "KS"} | LEADS | {SAME: 2.0}]))
    about = {"data": record["data"]["label"], "synthetic": synthetic, "citation": CITED}
    everything = {**about, **room.gathered(ledger, made)}
    write(folder / "results/claims.json", json.dumps(everything))
    write(folder / "results/manifest.json", json.dumps(record))
    for name in ledger.claims:
        evidence = as_csv(rows[name]) if rows[name] else "reason\ntoo few weeks\n"
        write(folder / f"results/claims/{name}.csv", evidence)
    took = [Account(name, 1.5, 1.25, 80.0, 0.0).line() for name in ledger.claims]
    write(folder / "logs/checks/all.log", "\n".join([*took, Account("", 9.0, 7.0, 80.0, 0.5).line()]))
    write(folder / "logs/games/study/main/rw-meta.log", Account("", 100.0, 99.0, 120.0, 0.5).line())
    for name in ledger.figures:
        for suffix in ("svg", "pdf", "png"):
            write(folder / f"paper/figures/{name}.{suffix}", DRAWING)
    write(folder / f"paper/figures/{PICTURE}.svg", DRAWING)
    write(folder / "paper/claims.md", "")
    write(folder / "results/NM.csv", as_csv([{"week": week, "1": 2.0} for week in WEEKS]))
    write(folder / "paper/tables/table-2.csv", as_csv(table_2()))
    write(
        folder / "paper/tables/readings-statements.csv",
        "kind,floor,statement,agrees,differs,undecided\n"
        f"trend,2t,{BEST.name},11,0,1\nautoregression,2t,{BEST.name},8,1,3\ntrend,none,{BEST.name},2,9,1\n",
    )
    write(
        folder / "paper/tables/patient-columns.csv",
        "patients,mu,weeks,ratio_to_best_linear,ratio_to_min_noise,ratio_to_min_noise_pm\n"
        "confirmed,inf,107,0.97,1.06,0.01\nconfirmed,0.25,107,0.94,0.83,0.07\n",
    )
    write(folder / "paper/tables/own-counts-price.csv", as_csv([PRICE, PRICE | {"average_same": 0.06}]))
    write(
        folder / "paper/tables/generality-statements.csv",
        f'statement,mu,agrees,undecided,differs\n"{BEST.words}",inf,30,2,3\n'
        f'"{BEST.words}",0.25,6,23,5\nx,,1,2,3\n',
    )
    places = {"ledger": "results/claims.json", "manifest": "results/manifest.json", "logs": "logs"}
    places |= {"evidence": "results/claims", "paper": "paper", "output": "paper/index.html"}
    return {name: folder / place for name, place in places.items()} | {"panels": [folder / "results/NM.csv"]}


def built(folder: Path, ledger: room.Ledger) -> Path:
    """Return the page of a ledger, made below a folder."""
    options = left(folder, ledger=ledger)
    page(**options)
    return Path(options["output"])


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of all papers, of a run on a file; all test processes share it. Code has no colours."""

    def make(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(listings, "highlighted", Markup.escape)  # which takes half of the time
            page(**left(folder))

    return once(tmp_path_factory, "whole-page", make) / "paper/index.html"


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., str]:
    """Return a function that builds a page of few claims on what `change` made of a run's files, filled."""

    def changed(
        change: Callable[[dict[str, Path]], object] = lambda options: None, synthetic: bool = False
    ) -> str:
        options = left(tmp_path, synthetic, small(7))
        change(options)
        page(**options)
        return filled(options["output"].read_text(encoding="utf-8"))

    return changed
