"""Table 2, sensitivity, generality, manifest and summary."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.hospital import generality, published, sensitivity, table_2
from private_experts.replication.hospital.cells import ESTIMATES
from private_experts.replication.run import summary
from private_experts.replication.run.manifest import collect


def cells_of(**estimates):
    row = dict.fromkeys(ESTIMATES, 2.0) | {f"{name}_pm": 0.1 for name in ESTIMATES}
    row |= {"lead": 1.0, "static_regret": -1.0, "best_linear_name": "w8-weak", "best_hospital": 3.0}
    row |= {"uniform": 0.5, "follow_the_leader": 2.5}
    return pd.DataFrame([{"state": "NM", "mu": mu, **row, **estimates} for mu in (np.inf, 0.5)])


def test_published_values_stand_in_the_cells_only_when_all_weeks_are_there():
    full = table_2.numbers(cells_of(), {"NM": (published.WEEKS, 24)})
    assert full["published_rw_meta"].tolist() == [40.14, 31.19]
    assert "[paper 40.14]" in table_2.shown(full)["RW-Meta"].iloc[0]
    short = table_2.numbers(cells_of(), {"NM": (72, 24)})
    assert not [name for name in short if name.startswith("published")]
    assert "paper" not in table_2.shown(short)["RW-Meta"].iloc[0]


def test_a_state_that_the_paper_lacks_shows_no_published_value():
    other = table_2.numbers(cells_of().assign(state="VT"), {"VT": (published.WEEKS, 12)})
    assert "paper" not in "".join(table_2.shown(other).iloc[0].astype(str))


def test_sensitivity_names_the_statements_that_change():
    table = sensitivity.compare({"study": cells_of(), "other": cells_of(static_regret=1.0, ratio_to_min_noise=1.5)})
    changes = {scenario: part["changes"].tolist() for scenario, part in table.groupby("scenario", sort=False)}
    assert changes == {"study": ["", ""], "other": ["1.5x to 3x (?); negative regret"] * 2}
    assert sensitivity.shown(table)["statements that change"].tolist()[0] == "none"


def test_generality_has_a_row_a_state():
    frame = pd.concat([cells_of(), cells_of().assign(state="PA")])
    frame["hospitals"] = 24
    shown = generality.shown(frame)
    assert shown["state"].tolist() == ["NM", "PA"]
    assert shown["RW-Meta / Min Noise, μ = ∞"].iloc[0] == "2.00 ± 0.10"


@pytest.fixture
def record(tmp_path):
    def git(*arguments):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True
        )

    git("init", "--quiet")
    product = tmp_path / "table.csv"
    product.write_text("1\n", encoding="utf-8")
    git("add", "table.csv")
    git("commit", "--quiet", "--message", "first")
    stamp = tmp_path / "stages.rw_meta.txt"
    config = {"seed": 5, "hospital": {"synthetic": {"seed": 6}}}

    def make():
        return collect(config, tmp_path, {"kind": "file", "label": "the label"}, [product], [])

    return make, product, stamp


def test_manifest_knows_the_commit_and_whether_the_tree_is_dirty(record):
    make, product, _ = record
    clean = make()
    assert len(clean["code"]["commit"]) == 40
    assert clean["code"]["dirty"] is False
    product.write_text("2\n", encoding="utf-8")
    dirty = make()
    assert dirty["code"]["dirty"] is True
    assert dirty["outputs"][str(product)]["sha256"] != clean["outputs"][str(product)]["sha256"]
    assert dirty["config"]["sha256"] == clean["config"]["sha256"]
    assert clean["seeds"] == {"study": 5, "synthetic": 6}
    assert "numpy" in clean["machine"]["packages"]
    json.dumps(clean)


def test_manifest_without_a_repository_says_so(tmp_path):
    record = collect({"seed": 1, "hospital": {"synthetic": {"seed": 1}}}, tmp_path / "none", {}, [], [])
    assert record["code"]["commit"] is None
    assert record["code"]["dirty"] is None


def test_summary_says_the_data_its_shape_and_where_things_lie():
    manifest = {
        "config": {"values": {"pathvars": {"paper": "results/smoke/paper"}}},
        "data": {"kind": "synthetic", "label": "SYNTHETIC DATA (seed 1)", "shape": ["NM: 30 weeks"]},
        "outputs": {"paper/tables/table-2.csv": {}, "paper/tables/table-2.md": {}, "paper/figures/figure-2.pdf": {}},
    }
    lines = summary.lines(manifest)
    assert lines[0] == "Page:     results/smoke/paper/index.html"
    said = "\n".join(lines)
    assert "SYNTHETIC DATA (seed 1)" in said
    assert "HHS_FACILITY_CSV" in said
    assert "NM: 30 weeks" in said
    assert "paper/tables/  (table-2)" in said
    assert "HHS_FACILITY_CSV" not in "\n".join(summary.lines(manifest | {"data": {"kind": "file", "label": "x"}}))
