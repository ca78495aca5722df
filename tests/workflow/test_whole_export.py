"""From a whole export to the page: with the paper's weeks and both patient columns no data claim is left out.

What a run on other data than the pinned makes says so, product by product.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from private_experts.replication.ledger.ledger import read
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.data.source import NEW_YORK, listed_sha256
from tests.replication.study.data.whole_export import BOTH, SUSPECTED, whole_export, write_export
from tests.workflow.conftest import CONFIGS, REPRODUCE, ROOT, SMALLER, Project, copy_sources

STATES = ["NM", "PA", "CA"]
STUDY = SMALLER | {
    "privacy_levels": [float("inf"), 0.5],
    "repetitions": 4,
    "hospital": {"states": STATES},
    "generality": {"states": STATES},
    "evidence": {"quick": True, "allow_undecided": True},
}
RUN = "results/smoke"
LOUD = {"file": "THE FILE OF A USER", "synthetic": "SYNTHETIC DATA"}
# Products that no hospital's report is in: batching on simulated data, and one claim's numerical figure.
WITHOUT_DATA = ("1", "amplification", "batch-sizes", "switching", "looseness", "regret", "000-tightness")
NEW_YORKS = "patient-columns"  # products whose data are the project's own, whichever a run takes
# this export has six hospitals a state, to be quick
TOO_FEW = dict.fromkeys(("003/any-labels-real", "003/real-categories"), "no panel has 100 hospitals")


def keep_claims_on_data(project: Path) -> set[str]:
    """Add to the ledger in small the claims of all papers that need data; return their ids."""
    kept: set[str] = set()
    for path in sorted((ROOT / "claims").glob("[0-9]*.yaml")):
        content, ours = load_yaml(path.read_text(encoding="utf-8")), project / "claims" / path.name
        on_data = [claim | {"rests_on": []} for claim in content["claims"] if claim.get("needs")]
        alone: list[dict[str, Any]] = [
            {key: entry[key] for key in entry if key != "step_of"} for entry in on_data
        ]
        ids = {entry["id"] for entry in alone}
        if ours.exists():
            content = load_yaml(ours.read_text(encoding="utf-8"))
            alone += [claim for claim in content["claims"] if claim["id"] not in ids]
        else:
            content |= {"figures": [], "errata": []}
        if alone:
            plain = json.loads(json.dumps(content | {"claims": alone}))  # without YAML's references
            ours.write_text(yaml.safe_dump(plain, sort_keys=False, width=1000), encoding="utf-8")
        kept |= ids
    return kept


@pytest.fixture(scope="module")
def on_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, set[str], str]:
    """Return a project after its run on an export, the claims on data, and the last lines that it said."""
    project = copy_sources(tmp_path_factory.mktemp("export") / "project")
    (project / CONFIGS[-1]).write_text(yaml.safe_dump(STUDY))
    kept = keep_claims_on_data(project.root)
    write_export(project / "my export.csv", whole_export(STATES, 6))
    done = project.run(*REPRODUCE, "--data", "my export.csv")
    assert done.returncode == 0, done.stderr + done.stdout
    return project, kept, done.stdout


def test_every_claim_on_data_runs_and_none_is_called_unexpected(
    on_file: tuple[Project, set[str], str],
) -> None:
    project, kept, message = on_file
    found = {
        claim["id"]: claim for claim in json.loads((project / RUN / "claims.json").read_text())["claims"]
    }
    assert len(kept) == 14
    assert "000/table-2-values" in kept
    assert {
        name: found[name].get("reason") for name in kept if found[name]["verdict"] == "not run"
    } == TOO_FEW
    assert all(
        entry["as_expected"] and entry["expected"] is None for name, entry in found.items() if name in kept
    )
    assert LOUD["file"] in message
    ledger = read(sorted((project / "claims").glob("[0-9]*.yaml")), project / "claims/schema.yaml")
    known = sum(claim.pinned is not None and claim.id not in TOO_FEW for claim in ledger.claims.values())
    assert f"verdicts on hospital data: {known}, as found" in " ".join(message.split())
    quality = (project / RUN / "paper/tables/quality.csv").read_text()
    assert quality.count(BOTH) == quality.count(SUSPECTED) == len(STATES)


@pytest.mark.parametrize("kind", LOUD)
def test_every_product_says_whose_the_data_are(
    on_file: tuple[Project, set[str], str], finished: Path, kind: str
) -> None:
    paper = (on_file[0].root if kind == "file" else finished) / RUN / "paper"
    products = [path for path in paper.rglob("*") if path.is_file() and not path.name.startswith(".")]
    ours = listed_sha256(ROOT / NEW_YORK)[:8]
    silent = [
        path.relative_to(paper).as_posix()
        for path in products
        if (ours if path.stem.startswith(NEW_YORKS) else LOUD[kind]) not in path.read_text(encoding="utf-8")
        and not path.stem.removeprefix("figure-").startswith(WITHOUT_DATA)
    ]
    assert silent == []
    assert {path.suffix for path in products} >= {".csv", ".tex", ".md", ".svg", ".html", ".ipynb", ".json"}
