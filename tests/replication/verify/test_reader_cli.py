"""The reader's commands: `claims` lists, `verify` recomputes, exit codes tell."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from private_experts.replication.ledger import ledger
from private_experts.replication.ledger.power import COLUMNS
from private_experts.replication.study.data.panel import Panel, write
from private_experts.replication.verify import recomputing, verifying
from private_experts.replication.verify.verifying import AS_EXPECTED, DISAGREES, NOT_RUN, SOFTWARE, UNEXPECTED
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
Run = Callable[..., str]


@pytest.fixture(autouse=True)
def endless_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no width be told, as where what is printed goes into a file."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "claims").mkdir()
    kept = [ENTRIES[name] | {"rests_on": []} | changes for name, changes in CHANGES.items()]
    (tmp_path / "claims/000.yaml").write_text(yaml.safe_dump({"paper": "000", "title": "Main", "claims": kept}))
    (tmp_path / "claims/schema.yaml").write_text((ROOT / "claims/schema.yaml").read_text())
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command of the reader's, sees its exit code, and returns what it says."""

    def ran(*words: str, command: str = "verify", code: int = 0) -> str:
        try:
            ended = main([command, *words, "--root", str(project)])
        except SystemExit as end:
            ended = end.code
        said = capsys.readouterr()
        assert ended == code
        assert (said.err == "private-experts: stopped\n") == (code == 130)
        return said.err if code == 2 else said.out

    return ran


def test_a_copied_folder_is_not_checked_by_the_code_of_another_unawares(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src/private_experts").mkdir(parents=True)
    monkeypatch.chdir(project)
    with pytest.raises(SystemExit, match="2"):
        main(["verify", SURE])
    assert (
        f"this folder's code is in {project / 'src'}, and private-experts is imported from" in capsys.readouterr().err
    )
    assert "HOLDS" in run(SURE)  # with --root, as asked for


def change(project: Path, name: str, **changes: Any) -> None:
    path = project / "claims/000.yaml"
    content = load_yaml(path.read_text())
    content["claims"] = [each | changes if each["id"] == name else each for each in content["claims"]]
    path.write_text(yaml.safe_dump(content))


def test_a_claim_that_holds_as_expected_is_told_with_its_evidence(run: Run) -> None:
    said = run(SURE)
    for words in ("In the dyadic tree", "Rests on: no other claim", "Formula: max", "HOLDS (as expected; 2 points"):
        assert words in said
    assert "strength: enumerated, all of the bound" in said
    assert sum(line.split()[:1] in (["2"], ["9"]) for line in said.splitlines()) == 2  # a row a point
    file, line = re.search(r"Code: (\S+):(\d+)", said).groups()  # type: ignore[union-attr]
    assert (ROOT / file).read_text().splitlines()[int(line) - 1].startswith("def tree_nodes(")
    assert "There is no run yet: run make reproduce, or make smoke" in said


def test_a_verdict_otherwise_than_expected_has_another_exit_code(project: Path, run: Run) -> None:
    change(project, SURE, expected="fails")
    assert "HOLDS (expected: fails" in run(SURE, code=5)
    change(project, SURE, expected=None)
    assert "(no verdict was expected" in run(SURE)


def test_on_a_quick_grid_a_claim_may_stay_undecided(project: Path, run: Run) -> None:
    change(project, CHANCY, grid={"T": [4], "level": [1.0]}, repetitions=2, cap=2)
    for words, code in (([], 5), (["--quick"], 0)):
        assert "UNDECIDED (expected: holds" in run(CHANCY, *words, code=code)


def test_of_many_points_those_nearest_to_failing_are_shown(project: Path, run: Run) -> None:
    change(project, SURE, grid={"T": [*range(2, 100)]})
    said = run(SURE)
    assert "30 of 98 points, nearest to failing; --evidence FILE" in said
    rows = [line.split() for line in said.splitlines() if line.endswith("holds") and line.split()[0].isdigit()]
    margins = [float(row[6]) for row in rows]
    assert len(margins) == 30
    assert margins == sorted(margins)


@pytest.fixture
def evidence_of(project: Path, run: Run) -> Callable[..., list[dict[str, str]]]:
    def written(*words: str) -> list[dict[str, str]]:
        run(CHANCY, "--evidence", str(project / "evidence.csv"), *words)
        with (project / "evidence.csv").open(newline="") as stream:
            return list(csv.DictReader(stream))

    return written


def test_the_same_seed_gives_the_same_evidence_and_another_seed_another(evidence_of: Any) -> None:
    first, again, other = (evidence_of("--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert [row["value"] for row in first] != [row["value"] for row in other]


def test_more_repetitions_make_the_interval_narrower(evidence_of: Any, run: Run) -> None:
    few, many = (evidence_of("--repetitions", count)[0] for count in ("2000", "100000"))
    width = [float(row["high"]) - float(row["low"]) for row in (few, many)]
    assert width[1] < width[0] / 5
    said = run(CHANCY, "--repetitions", "100000")
    assert "100000 repetitions" in said
    assert "50 times the workflow's largest number of repetitions" in said
    assert "workflow's largest" not in run(CHANCY, "--repetitions", "2000")
    assert "This check is deterministic: --repetitions has no effect." in run(SURE, "--repetitions", "50")


def test_it_is_what_the_workflow_computes(project: Path, run: Run) -> None:
    words = ["checks", "--claims", CHANCY, "--claim-files", str(project / "claims/000.yaml"), "--seed", "2026"]
    words += ["--evidence", str(project / "of-checks.csv"), "--verdicts", str(project / "verdict.json")]
    assert main(words) == 0
    run(CHANCY, "--evidence", str(project / "of-verify.csv"))  # the study's seed unless told
    assert (project / "of-checks.csv").read_bytes() == (project / "of-verify.csv").read_bytes()


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
        (["--all", "--sample-seed", "1"], "--sample-seed needs --sample"),
        (["--sample", "1", "--sample-seed", "-1"], "--sample-seed -1: write a number of at least 0"),
        (["--all", "--processes", "0"], "--processes 0: write a number of at least 1"),
        (["--all", "--evidence", "x.csv"], "--evidence needs one claim"),
        ([SURE, "--results", "no/such"], "--results no/such: no such folder"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(words: list[str], said: str, run: Run) -> None:
    assert said in run(*words, code=2)


def test_a_claim_on_real_data_is_not_run_on_synthetic_data(project: Path, run: Run) -> None:
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
    assert "not run: synthetic data" in run(ON_DATA, code=3)


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
    machine = {"processor": "another one"}
    (results / "manifest.json").write_text(json.dumps({"config": {"values": study}, "machine": machine}))


def test_it_ends_with_a_comparison_to_the_last_bit(project: Path, run: Run) -> None:
    ran(project, SURE, CHANCY)
    for name, points in ((SURE, 2), (CHANCY, 4)):
        said = run(name)
        assert f"Agrees: the same verdict, all {points} points equal to the last bit." in said
        assert ("Would notice a bound 3 % smaller." in said) == (name == SURE)
    found = json.loads(run(CHANCY, "--json"))
    assert (found["claim"], found["verdict"], found["as_expected"], found["seed"]) == (CHANCY, "holds", True, 2026)
    assert len(found["evidence"]) == found["comparison"]["equal"] == 4


def test_with_another_seed_it_compares_intervals(project: Path, run: Run) -> None:
    ran(project, CHANCY)
    said = run(CHANCY, "--seed", "7")
    assert re.search(r"^Agrees: the same verdict; of 4 points .*with intervals that overlap\.$", said, re.MULTILINE)
    assert "2000 repetitions, seed 7" in said
    assert "The last run: holds (2000 repetitions, seed 2026): " in said


def test_another_grid_than_that_of_the_run_is_not_compared(project: Path, run: Run) -> None:
    """It may have another tolerance, so that bounds are apart, or too few repetitions to decide."""
    change(project, SURE, quick={"T": [2]})
    ran(project, SURE, CHANCY)
    for name in (SURE, CHANCY):
        assert "Not compared: the last run used the full grid. Omit --quick" in run(name, "--quick")
    change(project, SURE, quick={})
    assert "Agrees: the same verdict, all 2 points" in run(SURE, "--quick")
    ran(project, SURE, CHANCY, quick=True)
    assert json.loads(run(CHANCY, "--json"))["comparison"] is None
    said = run("--all", "--processes", "1")
    assert "1 of 3 claims: Not compared: the last run used the small grid. Add --quick" in said
    assert "no run yet" not in said


def test_evidence_that_is_gone_or_damaged_is_told_and_the_other_claims_are_compared(project: Path, run: Run) -> None:
    ran(project, SURE, CHANCY)
    path = project / f"results/claims/{SURE}.csv"
    for damage, said in (
        (path.unlink, "is missing; run make"),
        (path.touch, "column value is missing; delete it and run"),
    ):
        damage()
        told = run("--all", "--processes", "1")
        assert re.search(r"^ +all +3 +1 +0 +0 +0 +1 +1$", told, re.MULTILINE)
        assert f"1 of 3 claims: Not compared: {path}" in told
        assert said in told
        assert f"Not compared: {path}" in run(SURE)


def test_values_that_were_changed_since_are_told_and_have_an_exit_code(project: Path, run: Run) -> None:
    ran(project, SURE)
    path = project / f"results/claims/{SURE}.csv"
    path.write_text(path.read_text().replace("2,1.0,", "2,0.5,"))
    said = run(SURE, code=4)
    assert "DISAGREES: the same verdict; of 2 points 1 equal to the last bit, 1 with another value." in said
    assert "The settings are those of the run. processor: another one there, " in said


def test_values_that_differ_in_the_last_bits_agree_and_are_told_with_the_processors(project: Path, run: Run) -> None:
    ran(project, SURE)
    path = project / f"results/claims/{SURE}.csv"
    path.write_text(path.read_text().replace("2,1.0,", "2,1.0000000000000002,"))
    for words in ([SURE], ["--all", "--processes", "1"]):
        assert "processor: another one there, " in run(*words)
    assert "of 2 points 1 equal to the last bit, 1 equal up to rounding." in run(SURE)
    assert re.search(r"^ +all +3 +0 +1 +0 +0 +1 +1$", run("--all", "--processes", "1"), re.MULTILINE)
    manifest = project / "results/manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"machine": {}}))
    assert "Processor, kernels, Python, NumPy and SciPy are too, so code or another package differs." in run(SURE)


def test_all_claims_end_with_a_table_of_agreements(project: Path, run: Run) -> None:
    """In processes of their own, as people call it; the claim on data is told as not run."""
    ran(project, SURE, CHANCY)
    said = run("--all", "--seed", "7")
    assert re.search(r"^ +all +3 +1 +0 +1 +0 +0 +1$", said, re.MULTILINE)
    assert "0 with another verdict than expected; 0 that disagree with the last run." in said
    assert f"{ON_DATA} needs hospital data" in said


def test_on_a_terminal_a_line_says_how_many_are_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    run("--all", "--processes", "1")
    assert "0 of 3 claims, 00:00, about ? left" in terminal.getvalue()


def test_a_sample_leaves_out_what_needs_data_that_is_not_there(run: Run) -> None:
    found = json.loads(run("--sample", "5", "--processes", "1", "--json"))["claims"]
    assert {each["claim"] for each in found} == {SURE, CHANCY}


def test_a_sample_has_a_seed_of_its_own(run: Run) -> None:
    def drawn(*words: str) -> list[tuple[str, int]]:
        found = json.loads(run("--sample", "1", "--processes", "1", "--json", *words))["claims"]
        return [(each["claim"], each["seed"]) for each in found]

    samples = {seed: drawn("--sample-seed", str(seed)) for seed in range(8)}
    assert {name for ((name, _),) in samples.values()} == {SURE, CHANCY}
    assert {seed for ((_, seed),) in samples.values()} == {2026}
    assert drawn("--sample-seed", "3", "--seed", "7") == [(samples[3][0][0], 7)]


def test_who_stops_it_gets_the_table_of_what_is_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    recompute = recomputing.recompute

    def stopped_at_the_second(question: recomputing.Question, given: Any) -> recomputing.Answer:
        if question.claim.id == SURE:
            raise KeyboardInterrupt
        return recompute(question, given)

    monkeypatch.setattr(recomputing, "recompute", stopped_at_the_second)
    assert re.search(r"^ +all +2 +0 +0 +0 +0 +1 +1$", run("--all", "--processes", "1", code=130), re.MULTILINE)


def crashing(question: recomputing.Question, given: Any, recompute: Any = recomputing.recompute) -> recomputing.Answer:
    if question.claim.id == SURE:
        return [][0]  # type: ignore[no-any-return]
    return recompute(question, given)


@pytest.mark.parametrize("words", [["--processes", "1"], ["--sample", "2", "--processes", "1"]])
def test_a_claim_that_crashes_is_one_row_and_has_an_exit_code(
    words: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recomputing, "recompute", crashing)
    said = run(*words, *([] if "--sample" in words else ["--all"]), code=70)
    assert re.search(rf"^{SURE} +crashed +0\.0 s  IndexError: list index out of range$", said, re.MULTILINE)
    assert re.search(rf"^{CHANCY} +holds ", said, re.MULTILINE)
    assert re.search(r"^paper +claims .* crashed$", said, re.MULTILINE)
    assert re.search(r"^ +all +\d .* 1$", said, re.MULTILINE)
    assert "0 with another verdict than expected" in said
    found = json.loads(run("--all", "--processes", "1", "--json", code=70))["claims"]
    assert [(each["verdict"], each["as_expected"]) for each in found if each["claim"] == SURE] == [("crashed", False)]


def test_one_claim_that_crashes_ends_with_what_happened_and_writes_no_evidence(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "recompute", crashing)
    assert "crashed: IndexError: list index out of range" in run(SURE, "--evidence", str(project / "x.csv"), code=70)
    assert not (project / "x.csv").exists()


def test_in_processes_of_their_own_a_crash_is_a_row_too(project: Path, run: Run) -> None:
    change(project, SURE, grid={"T": ["nine"]})
    said = run("--all", code=70)
    assert re.search(rf"^{SURE} +crashed ", said, re.MULTILINE)
    assert re.search(rf"^{CHANCY} +holds ", said, re.MULTILINE)


def test_a_reader_who_has_seen_enough_is_not_told_of_it() -> None:
    done = subprocess.run(
        f"{sys.executable} -m private_experts claims | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert done.returncode in (0, 141)  # 0 when all was written before the reader left


def came(project: Path, **verdicts: str | dict[str, Any]) -> None:
    """Leave the verdicts of a run, by the names of the claims."""
    (project / "results").mkdir(exist_ok=True)
    entries = [
        {"id": f"000/{name.replace('_', '-')}", **(found if isinstance(found, dict) else {"verdict": found})}
        for name, found in verdicts.items()
    ]
    (project / "results/claims.json").write_text(json.dumps({"claims": entries}))


def test_before_a_run_all_verdicts_are_unknown(project: Path, run: Run) -> None:
    assert run(command="claims").count(" unknown ") == 3
    assert run("--verdict", "fails", command="claims").startswith("There is no run yet: run make reproduce")
    came(project, tree_nodes="holds")
    assert "no run yet" not in run("--verdict", "fails", command="claims")


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        (["--verdict", "holds", "--paper", "000"], {SURE}),
        (["--verdict", "not-run"], {ON_DATA}),
        (["--strength", "by-construction"], {SURE}),
        ([], {SURE, CHANCY, ON_DATA}),
    ],
)
def test_claims_are_chosen_by_verdict_and_strength(words: list[str], listed: set[str], project: Path, run: Run) -> None:
    # The others are of a run before there were strengths.
    certain = {"verdict": "holds", "strength": {"name": "by construction"}}
    came(project, tree_nodes=certain, lemma_3="undecided", proxy_law_hospital="not run")
    said = run(*words, command="claims", code=5 * (CHANCY in listed))
    assert {name for name in CHANGES if name in said} == listed
    assert ("by construction" in said) == (SURE in listed)


def test_a_lazy_program_is_told_beside_the_strength_and_the_evidence(project: Path, run: Run) -> None:
    change(project, SURE, no_lazy="no learner plays")
    assert "lazy program: none: no learner plays" in run(SURE)
    came(project, tree_nodes={"verdict": "holds", "lazy_fails": 1, "lazy_points": 9})
    assert "lazy fails 1/9" in run(command="claims")


def test_a_listed_verdict_otherwise_than_expected_is_marked_and_tells_by_the_exit_code(project: Path, run: Run) -> None:
    came(project, tree_nodes="holds", lemma_3="fails", proxy_law_hospital="holds")
    assert "fails (!)" in run(command="claims", code=5)
    run("--verdict", "holds", command="claims")


@pytest.mark.parametrize("words", [["--paper", "9"], ["--verdict", "true"], ["--strength", "great"]])
def test_a_choice_that_there_is_not_is_told_in_one_line(words: list[str], run: Run) -> None:
    assert " ".join(words[:1]) in run(*words, command="claims", code=2)


def test_what_cannot_be_read_is_told_in_one_line(project: Path, run: Run) -> None:
    came(project)
    (project / "results/claims.json").write_text("{")
    assert "run make reproduce again" in run(command="claims", code=2)
    (project / "claims/schema.yaml").unlink()
    assert "has no claims/" in run(command="claims", code=2)


def test_a_crash_has_a_code_that_no_verdict_has(project: Path) -> None:
    program = (
        "import sys; from private_experts.replication.papers.p000 import tree_baseline as checks; "
        "checks.tree_nodes = None; from private_experts.replication.workflow.cli import main; sys.exit(main())"
    )
    words = [sys.executable, "-c", program, "verify", SURE, "--root", str(project)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "TypeError: 'NoneType' object is not callable" in done.stderr
    assert done.returncode == SOFTWARE
    assert not {SOFTWARE, 1} & {AS_EXPECTED, NOT_RUN, DISAGREES, UNEXPECTED}  # 1 is that of any other crash


def test_a_ledger_that_is_a_pipe_is_refused_and_not_waited_for(project: Path, run: Run) -> None:
    (project / "results").mkdir()
    os.mkfifo(project / "results/claims.json")
    assert "claims.json: is a pipe or a device, not a file; delete it and" in run(CHANCY, code=2)
