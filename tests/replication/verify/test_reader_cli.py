"""The reader's commands: `claims` lists, `verify` recomputes, exit codes tell."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from private_experts.replication.ledger import ledger
from private_experts.replication.ledger.power import COLUMNS
from private_experts.replication.study.data.panel import Panel, write
from private_experts.replication.verify import recomputing
from private_experts.replication.workflow.cli import main
from private_experts.replication.yaml_text import load_yaml

ROOT = Path(__file__).parents[3]
ENTRIES = {each["id"]: each for each in load_yaml((ROOT / "claims/000.yaml").read_text(encoding="utf-8"))["claims"]}
SURE, CHANCY, ON_DATA = "000/tree-nodes", "000/lemma-3", "000/proxy-law-hospital"
CHANGES: dict[str, dict[str, Any]] = {
    SURE: {"grid": {"T": [2, 9]}},
    CHANCY: {"grid": {"T": [4, 8], "level": [0.5, 1.0]}, "quick": {}, "repetitions": 2000, "cap": 2000},
    ON_DATA: {},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with three claims, quick to check, and no results."""
    (tmp_path / "claims").mkdir()
    kept = [ENTRIES[name] | {"rests_on": []} | changes for name, changes in CHANGES.items()]
    (tmp_path / "claims/000.yaml").write_text(yaml.safe_dump({"paper": "000", "title": "Main", "claims": kept}))
    (tmp_path / "claims/schema.yaml").write_text((ROOT / "claims/schema.yaml").read_text())
    return tmp_path


def change(project: Path, name: str, **changes: Any) -> None:
    path = project / "claims/000.yaml"
    content = load_yaml(path.read_text())
    content["claims"] = [each | changes if each["id"] == name else each for each in content["claims"]]
    path.write_text(yaml.safe_dump(content))


def verify(project: Path, *words: str) -> int:
    return main(["verify", *words, "--root", str(project)])


def test_a_claim_that_holds_as_expected_is_told_with_its_evidence(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, SURE) == 0
    said = capsys.readouterr().out
    assert "In the dyadic tree" in said
    assert "Rests on: no other claim" in said
    assert "HOLDS (as expected; 2 points" in said
    assert "strength: enumerated, all of the bound" in said
    assert sum(line.split()[:1] in (["2"], ["9"]) for line in said.splitlines()) == 2  # a row a point


def test_a_verdict_otherwise_than_expected_has_another_exit_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(project, SURE, expected="fails")
    assert verify(project, SURE) == 1
    assert "HOLDS (expected: fails" in capsys.readouterr().out


def test_on_a_quick_grid_a_claim_may_stay_undecided(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = {"grid": {"T": [4], "level": [1.0]}, "repetitions": 2, "cap": 2}
    change(project, CHANCY, **few)
    assert verify(project, CHANCY) == 1
    assert verify(project, CHANCY, "--quick") == 0
    assert capsys.readouterr().out.count("UNDECIDED (expected: holds") == 2


def test_where_nothing_is_expected_any_verdict_is_well(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(project, SURE, expected=None)
    assert verify(project, SURE) == 0
    assert "(no verdict was expected" in capsys.readouterr().out


def test_of_many_points_those_nearest_to_failing_are_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(project, SURE, grid={"T": [*range(2, 100)]})
    assert verify(project, SURE) == 0
    said = capsys.readouterr().out
    assert "30 of 98 points, nearest to failing; --evidence FILE" in said
    margins = [
        float(line.split()[6]) for line in said.splitlines() if line.endswith("holds") and line.split()[0].isdigit()
    ]
    assert len(margins) == 30
    assert margins == sorted(margins)


def evidence_of(project: Path, *words: str) -> list[dict[str, str]]:
    file = project / "evidence.csv"
    assert verify(project, CHANCY, "--evidence", str(file), *words) == 0
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_same_seed_gives_the_same_evidence_and_another_seed_another(project: Path) -> None:
    first, again, other = (evidence_of(project, "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert [row["value"] for row in first] != [row["value"] for row in other]


def test_more_repetitions_make_the_interval_narrower(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few, many = (evidence_of(project, "--repetitions", count) for count in ("2000", "100000"))
    said = capsys.readouterr().out
    assert "100000 repetitions" in said
    assert said.count("50 times the workflow's largest number of repetitions") == 1
    width = [float(rows[0]["high"]) - float(rows[0]["low"]) for rows in (few, many)]
    assert width[1] < width[0] / 5


def test_repetitions_of_a_deterministic_check_are_said_to_have_no_effect(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, SURE, "--repetitions", "50") == 0
    assert "This check is deterministic: --repetitions has no effect." in capsys.readouterr().out


def test_it_is_what_the_workflow_computes(project: Path, tmp_path: Path) -> None:
    change(project, CHANCY, repetitions=2000, cap=2000)
    words = ["checks", "--claims", CHANCY, "--claim-files", str(project / "claims/000.yaml"), "--seed", "2026"]
    words += ["--evidence", str(tmp_path / "of-checks.csv"), "--verdicts", str(tmp_path / "verdict.json")]
    assert main(words) == 0
    assert verify(project, CHANCY, "--evidence", str(tmp_path / "of-verify.csv")) == 0  # the study's seed unless told
    assert (tmp_path / "of-checks.csv").read_bytes() == (tmp_path / "of-verify.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["000/tree-nods"], "did you mean 000/tree-nodes"),
        (["xyz"], "no such claim"),
        ([SURE, "--repetitions", "1"], "--repetitions 1: write a number of at least 2"),
        ([CHANCY, "--seed", "-1"], "--seed -1: write a number of at least 0"),
        ([ON_DATA], "needs hospital data"),
        ([], "name one claim"),
        ([SURE, "--all"], "name one claim"),
        (["--sample", "0"], "--sample 0: write a number of at least 1"),
        (["--all", "--processes", "0"], "--processes 0: write a number of at least 1"),
        (["--all", "--evidence", "x.csv"], "--evidence needs one claim"),
        ([SURE, "--results", "no/such"], "--results no/such: no such folder"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    words: list[str], said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        verify(project, *words)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_a_claim_on_real_data_is_not_run_on_synthetic_data(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(project, ON_DATA, real_data_only=True)
    results = project / "results"
    for path, content in {
        "hospital/provenance.json": {"label": "made up", "kind": "synthetic"},
        "manifest.json": {"config": {"values": {"seed": 1, "hospital": {"states": ["NM"]}}}},
    }.items():
        (results / path).parent.mkdir(parents=True, exist_ok=True)
        (results / path).write_text(json.dumps(content))
    panel = results / "hospital/study/panels/NM.csv"
    panel.parent.mkdir(parents=True)
    write(panel, Panel(("2020-08-07", "2020-08-14"), ("a", "b"), np.full((2, 2), 0.5), np.full(2, 10.0)))
    assert verify(project, ON_DATA) == 3
    assert "not run: synthetic data" in capsys.readouterr().out


def ran(project: Path, *names: str, seed: int = 2026, quick: bool = False) -> None:
    """Let the workflow's stages check claims of a project, as a run does."""
    known = ledger.read([project / "claims/000.yaml"], project / "claims/schema.yaml")
    results, records = project / "results", {}
    for name in names:
        words = ["checks", "--claims", name, "--claim-files", str(project / "claims/000.yaml"), "--seed", str(seed)]
        words += ["--quick"] if quick else []
        out = [str(results / "claims" / f"{name}.{suffix}") for suffix in ("csv", "json")]
        assert main([*words, "--evidence", out[0], "--verdicts", out[1]]) == 0
        records[name] = json.loads(Path(out[1]).read_text())
    known = ledger.Ledger(known.papers, {name: known.claims[name] for name in names}, {})
    power = {SURE: dict.fromkeys(COLUMNS, "") | {"bound": "0.97"}}
    (results / "claims.json").write_text(json.dumps(ledger.gathered(known, records, quick, power)))
    study = {"seed": seed, "evidence": {"quick": quick}}
    (results / "manifest.json").write_text(json.dumps({"config": {"values": study}}))


def test_it_ends_with_a_comparison_to_the_last_bit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(project, SURE, CHANCY)
    for name, points in ((SURE, 2), (CHANCY, 4)):
        assert verify(project, name) == 0
        said = capsys.readouterr().out
        assert f"Agrees: the same verdict, all {points} points equal to the last bit." in said
        assert ("Catches: a bound times 0.97" in said) == (name == SURE)


def test_with_another_seed_it_compares_intervals(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(project, CHANCY)
    assert verify(project, CHANCY, "--seed", "7") == 0
    said = capsys.readouterr().out
    assert re.search(
        r"^Agrees: the same verdict; of 4 points (.* and )?.*with intervals that overlap\.$", said, re.MULTILINE
    )
    assert "2000 repetitions, seed 7" in said
    assert "The last run: holds (2000 repetitions, seed 2026): " in said


def test_another_grid_than_that_of_the_run_is_not_compared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may have another tolerance, so that bounds are apart, or too few repetitions to decide."""
    change(project, SURE, quick={"T": [2]})
    ran(project, SURE, CHANCY)
    for name in (SURE, CHANCY):
        assert verify(project, name, "--quick") == 0
        assert "Not compared: the last run used the full grid. Omit --quick" in capsys.readouterr().out
    change(project, SURE, quick={})
    assert verify(project, SURE, "--quick") == 0
    assert "Agrees: the same verdict, all 2 points" in capsys.readouterr().out
    ran(project, SURE, CHANCY, quick=True)
    assert verify(project, CHANCY, "--json") == 0
    assert json.loads(capsys.readouterr().out)["comparison"] is None
    assert verify(project, "--all", "--processes", "1") == 0
    said = capsys.readouterr().out
    assert "1 of 3 claims: Not compared: the last run used the small grid. Add --quick" in said
    assert "no run yet" not in said


def test_values_that_were_changed_since_are_told_and_have_an_exit_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(project, SURE)
    path = project / f"results/claims/{SURE}.csv"
    path.write_text(path.read_text().replace("2,1.0,", "2,0.5,"))
    assert verify(project, SURE) == 4
    said = capsys.readouterr().out
    assert "DISAGREES: the same verdict; of 2 points 1 equal to the last bit, 1 with another value." in said
    assert "The settings are the same, so code, packages, Python or the processor differ" in said


def test_it_names_the_formula_and_the_code(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verify(project, SURE)
    said = capsys.readouterr().out
    assert "Formula: max" in said
    file, line = re.search(r"Code: (\S+):(\d+)", said).groups()  # type: ignore[union-attr]
    assert (ROOT / file).read_text().splitlines()[int(line) - 1].startswith("def tree_nodes(")


def test_as_json_it_says_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(project, CHANCY)
    assert verify(project, CHANCY, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["claim"], found["verdict"], found["as_expected"], found["seed"]) == (CHANCY, "holds", True, 2026)
    assert len(found["evidence"]) == found["comparison"]["equal"] == 4


def test_without_a_run_it_says_how_to_get_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(project, SURE) == 0
    assert "There is no run yet: run make reproduce, or make smoke" in capsys.readouterr().out
    assert claims(project, "--verdict", "fails") == 0
    assert capsys.readouterr().out.startswith("There is no run yet: run make reproduce")
    came(project, tree_nodes="holds")
    claims(project, "--verdict", "fails")
    assert "no run yet" not in capsys.readouterr().out


def test_all_claims_end_with_a_table_of_agreements(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In processes of their own, as people call it; the claim on data is told as not run."""
    ran(project, SURE, CHANCY)
    assert verify(project, "--all", "--seed", "7") == 0
    said = capsys.readouterr().out
    assert re.search(r"^ +all +3 +1 +1 +0 +0 +1$", said, re.MULTILINE)
    assert "0 with another verdict than expected; 0 that disagree with the last run." in said
    assert f"{ON_DATA} needs hospital data" in said


def test_a_sample_leaves_out_what_needs_data_that_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(project, "--sample", "5", "--processes", "1", "--json") == 0
    found = json.loads(capsys.readouterr().out)["claims"]
    assert {each["claim"] for each in found} == {SURE, CHANCY}


def test_who_stops_it_gets_the_table_of_what_is_there(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recompute = recomputing.recompute

    def stopped_at_the_second(question: recomputing.Question, given: Any) -> recomputing.Answer:
        if question.claim.id == SURE:
            raise KeyboardInterrupt
        return recompute(question, given)

    monkeypatch.setattr(recomputing, "recompute", stopped_at_the_second)
    assert verify(project, "--all", "--processes", "1") == 130
    said = capsys.readouterr()
    assert re.search(r"^ +all +2 +0 +0 +0 +1 +1$", said.out, re.MULTILINE)
    assert said.err == "private-experts: stopped\n"


def test_a_reader_who_has_seen_enough_is_not_told_of_it() -> None:
    done = subprocess.run(
        f"{sys.executable} -m private_experts claims | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert done.returncode in (0, 141)  # 0 when all was written before the reader left


def test_outside_a_project_it_says_where_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["claims", "--root", str(tmp_path)])
    assert end.value.code == 2
    assert "has no claims/" in capsys.readouterr().err


def came(project: Path, **verdicts: str) -> None:
    (project / "results").mkdir(exist_ok=True)
    entries = [{"id": f"000/{name.replace('_', '-')}", "verdict": verdict} for name, verdict in verdicts.items()]
    (project / "results/claims.json").write_text(json.dumps({"claims": entries}))


def claims(project: Path, *words: str) -> int:
    return main(["claims", *words, "--root", str(project)])


def test_before_a_run_all_verdicts_are_unknown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert claims(project) == 0
    assert capsys.readouterr().out.count(" unknown ") == 3


def test_claims_are_chosen_by_verdict(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    came(project, tree_nodes="holds", lemma_3="undecided", proxy_law_hospital="not run")
    assert claims(project, "--verdict", "holds", "--paper", "000") == 0
    said = capsys.readouterr().out
    assert SURE in said
    assert CHANCY not in said
    assert claims(project, "--verdict", "not-run") == 0
    assert ON_DATA in capsys.readouterr().out


def test_claims_are_chosen_by_strength(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    came(project, tree_nodes="holds", lemma_3="fails")
    path = project / "results/claims.json"
    ledger = json.loads(path.read_text())
    ledger["claims"][0]["strength"] = {"name": "by construction"}  # the other is of a run before there were strengths
    path.write_text(json.dumps(ledger))
    assert claims(project, "--strength", "by-construction") == 0
    said = capsys.readouterr().out
    assert SURE in said
    assert "by construction" in said
    assert CHANCY not in said


def test_a_listed_verdict_otherwise_than_expected_is_marked_and_tells_by_the_exit_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    came(project, tree_nodes="holds", lemma_3="fails", proxy_law_hospital="holds")
    assert claims(project) == 1
    assert "fails (!)" in capsys.readouterr().out
    assert claims(project, "--verdict", "holds") == 0


@pytest.mark.parametrize("words", [["--paper", "9"], ["--verdict", "true"], ["--strength", "great"]])
def test_a_choice_that_there_is_not_is_told_in_one_line(
    words: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        claims(project, *words)
    assert end.value.code == 2
    assert " ".join(words[:1]) in capsys.readouterr().err


def test_results_that_are_no_json_are_told_in_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    came(project)
    (project / "results/claims.json").write_text("{")
    with pytest.raises(SystemExit):
        claims(project)
    assert "run make reproduce again" in capsys.readouterr().err
