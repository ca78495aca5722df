"""The reader's commands: `claims` lists, `verify` recomputes, exit codes tell."""

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
from private_experts.replication.ledger.experiments import Experiment
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.data.panel import Panel, write
from private_experts.replication.verify import reader_cli, recomputing
from private_experts.replication.workflow.cli import main
from tests.each import each

ROOT = Path(__file__).parents[3]
ENTRIES = {
    claim["id"]: claim
    for claim in load_yaml((ROOT / "claims/000.yaml").read_text(encoding="utf-8"))["claims"]
}
SURE, CHANCY, ON_DATA = "000/tree-nodes", "000/lemma-3", "000/proxy-law-hospital"
CHANGES: dict[str, dict[str, Any]] = {
    SURE: {"grid": {"T": [2, 9]}},
    CHANCY: {"grid": {"T": [4, 8], "level": [0.5, 1.0]}, "quick": {}, "repetitions": 2000, "cap": 2000},
    ON_DATA: {},
}
ALL = ("--all", "--processes", "1")
Run = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project of three claims; no width is told, as where what is printed goes into a file."""
    (tmp_path / "claims").mkdir()
    kept = [ENTRIES[name] | {"rests_on": []} | changes for name, changes in CHANGES.items()]
    (tmp_path / "claims/000.yaml").write_text(
        yaml.safe_dump({"paper": "000", "title": "Main", "claims": kept})
    )
    (tmp_path / "claims/schema.yaml").write_text((ROOT / "claims/schema.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command of the reader's, sees its exit code, and returns what it says."""

    def ran(*words: str, command: str = "verify", code: int = 0, traceback: bool = False) -> str:
        try:
            ended: Any = main([command, *words])
        except SystemExit as end:
            ended = end.code
        output = capsys.readouterr()
        assert ended == code
        assert (output.err == "private-experts: stopped\n") == (code == 130)
        assert ("Traceback" in output.err) == traceback
        return output.err if code == 2 else output.out

    return ran


def change(project: Path, name: str, **changes: Any) -> None:
    path = project / "claims/000.yaml"
    content = load_yaml(path.read_text())
    content["claims"] = [claim | changes if claim["id"] == name else claim for claim in content["claims"]]
    path.write_text(yaml.safe_dump(content))


def test_a_claim_that_holds_as_expected_is_told_with_its_evidence(project: Path, run: Run) -> None:
    output = run(SURE)
    for words in (
        "In the dyadic tree",
        "Rests on: no other claim",
        "Formula: max_t #{nodes containing t} ≤ ⌈log_2 T⌉",
        "HOLDS (as expected; 2 points",
        "how it is known, and how near: proved by enumeration, all of the bound",
        "Not compared: there is no run with these grids. Run make reproduce",
    ):
        assert words in output
    assert sum(line.split()[:1] in (["2"], ["9"]) for line in output.splitlines()) == 2  # a row a point
    file, line = re.search(r"Code: (\S+):(\d+)", output).groups()  # type: ignore[union-attr]
    assert (ROOT / file).read_text().splitlines()[int(line) - 1].startswith("def tree_nodes(")
    change(project, SURE, no_lazy="no learner plays", certificate="nodes are counted")
    output = run(SURE)
    assert "lazy program: none: no learner plays" in output
    assert "certificate: nodes are counted" in output


def locked(project: Path, **versions: str) -> None:
    """Leave the project's lock with other versions of some packages."""
    lock = (ROOT / "requirements.lock").read_text()
    for name, version in versions.items():
        lock = re.sub(rf"(?m)^{name}==\S+", f"{name}=={version}", lock)
    (project / "requirements.lock").write_text(lock)


def test_other_versions_than_the_locked_ones_are_said_and_the_claim_is_recomputed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked(project, numpy="0.1")
    assert main(["verify", SURE]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("private-experts: warning: numpy is installed in version ")
    assert said.err.count("\n") == 1
    assert "holds" in said.out


def test_other_versions_that_cannot_be_loaded_end_in_one_line(project: Path) -> None:
    """As where PYTHONPATH has the packages of another Python."""
    locked(project)
    for name, content in (
        ("numpy-0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 0.1\n"),
        ("numpy/__init__.py", "raise ImportError('Error importing numpy:\\n it is of another Python')\n"),
    ):
        (project / "other" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "other" / name).write_text(content)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(project / "other"), *sys.path])}
    start = "import sys; from private_experts.replication.workflow.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", start, "verify", SURE]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    said = "private-experts: numpy cannot be loaded; numpy is installed in version 0.1, "
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(said)


def test_a_verdict_is_compared_with_the_expected_one_and_may_stay_open_on_a_quick_grid(
    project: Path, run: Run
) -> None:
    change(project, SURE, expected="fails")
    assert "HOLDS (expected: fails" in run(SURE, code=5)
    change(project, SURE, expected=None)
    assert "(expected: no verdict" in run(SURE)
    change(project, CHANCY, grid={"T": [4], "level": [1.0]}, repetitions=2, cap=2)
    for words, code in (([], 5), (["--quick"], 0)):
        assert "UNDECIDED (expected: holds" in run(CHANCY, *words, code=code)


def test_of_many_points_those_nearest_to_failing_are_shown(project: Path, run: Run) -> None:
    change(project, SURE, grid={"T": [*range(2, 100)]})
    output = run(SURE)
    assert "30 of 98 points, nearest to failing" in output
    lines = output.splitlines()
    rows = [line.split() for line in lines if line.endswith("holds") and line.split()[0].isdigit()]
    names = next(line.split() for line in lines if line.endswith(" verdict"))
    slack = [float(row[names.index("bound")]) - float(row[names.index("value")]) for row in rows]
    assert len(slack) == 30
    assert slack == sorted(slack)


@each(
    ("words", "output"),
    [
        (["tree"], "did you mean 000/tree-nodes"),
        (["xyz"], "no such claim"),
        ([CHANCY, "--seed", "-1"], "--seed -1: write a number of at least 0"),
        ([], "name one claim"),
        ([SURE, "--all"], "name one claim"),
        (["--all", "--processes", "0"], "--processes 0: write a number of at least 1"),
        ([SURE, "--results", "no/such"], "--results no/such: no such folder"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(words: list[str], output: str, run: Run) -> None:
    assert output in run(*words, code=2)


def test_what_cannot_be_read_and_a_copied_folder_are_told_in_one_line(project: Path, run: Run) -> None:
    came(project)
    (project / "results/claims.json").write_text("{")
    assert "run make reproduce again" in run(command="claims", code=2)
    (project / "src").mkdir()  # its claims would be checked by the code of another folder
    said = f"this folder's code is in {project / 'src'}, and private-experts is imported from"
    assert said in run(SURE, code=2)
    (project / "claims/schema.yaml").unlink()
    assert "there is no claims/" in run(command="claims", code=2)


def test_a_claim_on_real_data_is_not_run_without_it(project: Path, run: Run) -> None:
    assert "not run: 000/proxy-law-hospital needs hospital data" in run(ON_DATA, code=3)
    change(project, ON_DATA, real_data_only=True)
    panel = project / "results/hospital/study/panels/NM.csv"
    panel.parent.mkdir(parents=True)
    write(panel, Panel(("2020-08-07", "2020-08-14"), ("a", "b"), np.full((2, 2), 0.5), np.full(2, 10.0)))
    for path, content in {
        "hospital/provenance.json": {"label": "made up", "kind": "synthetic"},
        "manifest.json": {"config": {"values": {"seed": 1, "hospital": {"states": ["NM"]}}}},
    }.items():
        (project / "results" / path).write_text(json.dumps(content))
    assert "not run: synthetic data" in run(ON_DATA, code=3)


def ran(project: Path, *names: str) -> None:
    """Let the workflow's stages check claims of a project, as a run does."""
    known = ledger.read([project / "claims/000.yaml"], project / "claims/schema.yaml")
    results, records = project / "results", {}
    for name in names:
        words = ["checks", "--claims", name, "--claim-files", str(project / "claims/000.yaml")]
        out = [str(results / "claims" / f"{name}.{suffix}") for suffix in ("csv", "json")]
        assert main([*words, "--seed", "2026", "--evidence", out[0], "--verdicts", out[1]]) == 0
        records[name] = json.loads(Path(out[1]).read_text())
    known = ledger.Ledger(known.papers, {name: known.claims[name] for name in names}, {})
    (results / "claims.json").write_text(json.dumps(ledger.gathered(known, records)))
    (results / "manifest.json").write_text(json.dumps({"config": {"values": {"seed": 2026}}}))


def test_it_ends_with_a_comparison_to_the_last_bit_and_with_another_seed_of_verdicts(
    project: Path, run: Run
) -> None:
    ran(project, SURE, CHANCY)
    for name, points in ((SURE, 2), (CHANCY, 4)):
        assert f"Agrees: the same verdict, all {points} points equal to the last bit." in run(name)
    output = run(CHANCY, "--seed", "7")
    for words in (
        "Agrees: the same verdict, as another experiment.",
        "2000 repetitions, seed 7",
        "The last run: holds (seed 2026): ",
    ):
        assert words in output
    output = run("--all", "--seed", "7")  # in processes of their own, as people call it
    assert re.search(r"^3 claims in \d+ s: .*; 0 with another verdict than expected\.$", output, re.MULTILINE)
    for words in ("2 with the same verdict", "1 not run", f"{ON_DATA} needs hospital data"):
        assert words in output


def test_another_grid_than_that_of_the_run_is_not_compared(project: Path, run: Run) -> None:
    """It may have another tolerance, so that bounds are apart, or too few repetitions to decide."""
    change(project, SURE, quick={"T": [2]})
    ran(project, SURE, CHANCY)
    for name in (SURE, CHANCY):
        assert "Not compared: there is no run with these grids." in run(name, "--quick")
    change(project, SURE, quick={})
    assert "Agrees: the same verdict, all 2 points" in run(SURE, "--quick")


def test_evidence_that_is_gone_or_damaged_is_told_and_the_other_claims_are_compared(
    project: Path, run: Run
) -> None:
    ran(project, SURE, CHANCY)
    path = Path(f"results/claims/{SURE}.csv")
    for damage, output in (
        (path.unlink, "is missing; run make"),
        (path.touch, "column value is missing; delete it and run"),
    ):
        damage()
        crashed = run(*ALL, code=70)
        for words in ("1 equal to the last bit", "1 crashed", "1 not run"):
            assert words in crashed.splitlines()[-1]
        assert f"{path}" in crashed
        assert output in crashed


def test_values_that_were_changed_since_are_told_and_have_an_exit_code(project: Path, run: Run) -> None:
    ran(project, SURE)
    path = project / f"results/claims/{SURE}.csv"
    evidence = path.read_text()
    path.write_text(evidence.replace("2,1.0,", "2,1.0000000000000002,"))
    output = run(SURE)
    assert "of 2 points 1 equal up to rounding, 0 with another value." in output
    assert "Last bits depend on the processor" in output
    assert "1 equal up to rounding" in run(*ALL)
    path.write_text(evidence.replace("2,1.0,", "2,0.5,"))
    output = run(SURE, code=4)
    assert "DISAGREES: the same verdict; of 2 points 0 equal up to rounding, 1 with another value." in output
    assert "1 that disagree with the last run" in run(*ALL, code=4)


def stopped_at(name: str, error: type[BaseException]) -> Callable[..., Any]:
    """Return a function that ends with an error instead of computing one claim."""

    def computed(experiment: Experiment, *_: Any, **__: Any) -> Any:
        if experiment.check == ENTRIES[name]["check"]:
            raise error("list index out of range")
        return original(experiment, *_, **__)

    original = recomputing.computed
    return computed


def test_who_stops_it_gets_what_is_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # The one that takes longest comes first, or is listed first; the other one is stopped.
    listed = [name for name in ENTRIES if name in (SURE, CHANCY)]
    second = sorted(listed, key=lambda name: -ENTRIES[name]["seconds"])[1]
    monkeypatch.setattr(recomputing, "computed", stopped_at(second, KeyboardInterrupt))
    assert re.search(r"^2 claims in .*1 not run", run(*ALL, code=130), re.MULTILINE)


def test_a_claim_that_crashes_is_one_row_and_has_an_exit_code_that_no_verdict_has(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recomputing, "computed", stopped_at(SURE, IndexError))
    output = run(*ALL, code=reader_cli.SOFTWARE, traceback=True)
    assert re.search(rf"^{SURE} +crashed +0\.0 s  IndexError: list index out of range$", output, re.MULTILINE)
    assert re.search(rf"^{CHANCY} +holds ", output, re.MULTILINE)
    assert "1 crashed" in output
    assert "0 with another verdict than expected" in output
    assert "crashed: IndexError: list index out of range" in run(SURE, code=70, traceback=True)
    codes = (reader_cli.AS_EXPECTED, reader_cli.NOT_RUN, reader_cli.DISAGREES, reader_cli.UNEXPECTED)
    assert not {reader_cli.SOFTWARE, 1} & {*codes}  # 1 is that of any other crash


def test_a_reader_who_has_seen_enough_is_not_told_of_it() -> None:
    command = f"{sys.executable} -m private_experts claims | head -n 1; exit ${{PIPESTATUS[0]}}"
    words = ["/bin/bash", "-c", command]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
    assert done.returncode in (0, 141)  # 0 when all was written before the reader left


def came(project: Path, **verdicts: str | dict[str, Any]) -> None:
    """Leave the verdicts of a run, by the names of the claims."""
    (project / "results").mkdir(exist_ok=True)
    entries = [
        {"id": f"000/{name.replace('_', '-')}", **(found if isinstance(found, dict) else {"verdict": found})}
        for name, found in verdicts.items()
    ]
    (project / "results/claims.json").write_text(json.dumps({"claims": entries}))


def test_claims_are_listed_with_verdict_grade_and_what_is_unexpected(project: Path, run: Run) -> None:
    output = run(command="claims")
    assert output.count(" unknown ") == 3
    assert "Not compared: there is no run" in output
    certain = {"verdict": "holds", "grade": {"known": "proved"}}
    came(project, tree_nodes=certain, lemma_3="holds", proxy_law_hospital="not run")  # one of before grades
    output = run(command="claims")
    assert re.search(rf"^{SURE} +holds +proved +In the dyadic tree", output, re.MULTILINE)
    assert re.search(rf"^{ON_DATA} +not run ", output, re.MULTILINE)
    parts = [{"name": "at most", "verdict": "holds"}, {"name": "attained", "verdict": "undecided"}]
    came(project, tree_nodes={"verdict": "holds", "statements": parts}, lemma_3="fails")
    output = run(command="claims", code=5)
    assert "fails (!)" in output
    assert re.search(r"^  at most +holds\n  attained +undecided$", output, re.MULTILINE)
