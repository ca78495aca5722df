"""No code of ours runs in a stage outside the stage's fingerprint; rules, commands and stages agree."""

import importlib
import re
import shlex
import textwrap
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from matplotlib.figure import Figure

import private_experts
from private_experts.replication.ledger import ledger
from private_experts.replication.ledger.experiments import drawings
from private_experts.replication.plotting import figures
from private_experts.replication.report.notebook import entries
from private_experts.replication.report.notebook_reader import PAPER_VARIABLE, RESULTS_VARIABLE
from private_experts.replication.stage_cli import ARGUMENT, FLAGS, OUTPUT, PARAMS, PERSON, is_rule, parameters
from private_experts.replication.study import players
from private_experts.replication.study.data import synthetic
from private_experts.replication.study.players import report_noise_files
from private_experts.replication.workflow.cli import parser, stages
from tests.audit import executed_definitions, own, untracked
from tests.replication.ledger.ledgers import KNOWN
from tests.workflow.conftest import ROOT, Project, copy_project

STAGES = stages()
CHECKS = "private_experts.replication.report.claims_stages:checks"
PAPERS = "private_experts.replication.papers"
# The rules without a name stand in loops: they check a bundle of claims, and draw figures.
RULES = {
    found[2] or re.findall(r'study\.call\("(\w+)"', found[0])[0]: textwrap.dedent(found[0])
    for file in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for found in re.finditer(
        r"^( *)rule ?(\w*):\n(?:\1 +.*\n|\n)*", file.read_text(encoding="utf-8"), re.MULTILINE
    )
}
FAMILIES = ("trend", "gaussian-process", "autoregression-1")
GAMES = [f"games {player}" for player in players.names() if player != "rw-meta"]
GAMES += [f"games learners.family={family}" for family in FAMILIES]
COMMANDS = [
    rule for rule in RULES if rule not in {"games", "checks", "claim_figures", "own_counts_elsewhere"}
] + GAMES
CLAIMS = KNOWN.claims


def _directive(rule: str, name: str) -> str:
    """Return the text of one directive of a rule."""
    found = re.search(rf"^    {name}:\n(.*?)(?=^    \S|\Z)", RULES[rule], re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _options(words: list[str]) -> dict[str, Any]:
    """Return what a command hands to its stage."""
    options = vars(parser().parse_args(words))
    del options["command"], options["account"]
    return options


@pytest.fixture(scope="module")
def played(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a finished project whose results may be written anew."""
    # the package itself is watched
    return copy_project(finished, tmp_path_factory.mktemp("audit") / "project", "src")


@pytest.fixture(scope="module")
def commands(all_told: str) -> list[list[str]]:
    """Return the words of all commands that the rules call."""
    return [
        shlex.split(line)[2:] for line in re.findall(r"private-experts --account [a-z].*?(?= 2> )", all_told)
    ]


def _without_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let figures be drawn as always, and saved as empty files: Matplotlib's part is no code of ours."""
    monkeypatch.setattr(figures, "FIGURE", (".svg",))
    monkeypatch.setattr(Figure, "draw_without_rendering", lambda self: None)
    monkeypatch.setattr(Figure, "savefig", lambda self, path, **settings: Path(path).write_bytes(b""))


@pytest.fixture
def audit(
    played: Project, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[..., object], Mapping[str, Any]], None]:
    """Return a function that runs a stage with its options; nothing may escape the stage's fingerprint."""
    monkeypatch.chdir(played.root)
    _without_rendering(monkeypatch)

    def run(stage: Callable[..., object], options: Mapping[str, Any]) -> None:
        escaped = untracked(lambda: stage(**options), f"{stage.__module__}:{stage.__name__}")
        if stage.__name__ == "games":  # the player's own code is an input of the rule by itself
            escaped -= own().reach(players.entry(options["algorithm"])).keys()
        assert escaped == set()

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_no_code_escapes_the_fingerprint_of(
    name: str,
    commands: list[list[str]],
    audit: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule, _, which = name.partition(" ")
    mine = [words for words in commands if words[0] == rule.replace("_", "-") and which in " ".join(words)]
    assert mine
    options = _options(mine[0])
    stage = options.pop("stage")
    assert stage is STAGES[rule]
    if rule == "manifest":  # what the tests before wrote is not what the logs tell
        places = options["config"]["pathvars"]
        options["config"] = options["config"] | {"pathvars": places | {"logs": str(tmp_path)}}
    if rule == "notebook":  # its cells would run in another process; they are watched below
        monkeypatch.setattr("nbclient.NotebookClient.execute", lambda *_, **__: None)
        options["source"] = Path("paper/tiny.py")
        options["source"].write_text("# %% [markdown]\n# $x$\n\n# %%\nprint(1)\n", encoding="utf-8")
        for foreign in ("jupytext", "math_core", "nbclient", "nbconvert.exporters.html"):
            importlib.import_module(foreign)  # while watched, this would take three times as long
    written = [
        Path(options[parameter.name])
        for parameter in parameters(stage)
        if parameter.source in (OUTPUT, PARAMS)
        and parameter.type in (Path, Path | None)
        and options.get(parameter.name)
    ]
    folders = [options[kind] for kind in ("figures", "tables") if kind in options]
    folders = [path for path in folders if path.is_dir()]
    files = [path for path in written if not path.is_dir()]
    names = {
        path if path.suffix else path.with_suffix(suffix) for path in files for suffix in (".csv", ".svg")
    }
    paths = [path for path in names if path.exists()]
    assert paths or folders or rule == "panels"
    for path in paths:
        path.unlink()
    before = time.time_ns()
    audit(stage, options)
    assert all(path.exists() for path in paths)
    assert all(any(path.stat().st_mtime_ns >= before for path in folder.iterdir()) for folder in folders)


def test_no_code_escapes_the_fingerprint_of_reports_from_a_file(
    tmp_path: Path, audit: Callable[..., None]
) -> None:
    file, output = tmp_path / "reports.csv", tmp_path / "output.csv"
    synthetic.reports(("VT",), weeks=6, seed=1).to_csv(file, index=False)
    columns = ["total_adult_patients_hospitalized_confirmed_covid_7_day_avg", "inpatient_beds_7_day_avg"]
    options = {"source": "file", "file": file, "output": output, "provenance": tmp_path / "origin.json"}
    window = {"first_week": "2000-01-01", "last_week": "2100-01-01"}
    chosen = {"patients": columns[:1], "beds": columns[1:], "participation": columns[:1]}
    audit(STAGES["reports"], options | {"columns": columns} | chosen | window)
    assert output.exists()


def test_no_code_escapes_the_fingerprint_of_own_counts_in_other_states(
    played: Project, tmp_path: Path, audit: Callable[..., None]
) -> None:
    hospital, learners = (
        played / "results/smoke/hospital",
        yaml.safe_load((ROOT / "config/study.yaml").read_text())["learners"],
    )
    options = {"panels": [hospital / "study/panels/NM.csv"], "provenance": hospital / "provenance.json"}
    options |= {"games": [played / "results/smoke/games/study/main/rw-meta.totals.csv"]}
    options |= {"privacy_levels": [1.0], "repetitions": 2, "smallest": 2, "confidence": 0.95, "seed": 1}
    audit(STAGES["own_counts_elsewhere"], options | {"learners": learners, "output": tmp_path / "elsewhere"})
    assert (tmp_path / "elsewhere.csv").exists()


# The quickest claim of each kind, and all that rest on data: the checks of the others are watched in
# `papers`.
QUICKEST_LAST = sorted(CLAIMS, key=lambda name: CLAIMS[name].seconds, reverse=True)
THROUGH_THE_STAGE = {*{CLAIMS[name].kind: name for name in QUICKEST_LAST}.values()}
THROUGH_THE_STAGE |= {name for name, claim in CLAIMS.items() if claim.needs}


@pytest.mark.parametrize("name", sorted(THROUGH_THE_STAGE))
def test_no_code_escapes_the_fingerprints_of_the_stage_and_the_check_of(
    name: str, played: Project, tmp_path: Path
) -> None:
    claim, file = CLAIMS[name], tmp_path / "claims.yaml"
    options: dict[str, Any] = {
        "evidence": [tmp_path / "evidence.csv"],
        "verdicts": [tmp_path / "verdict.json"],
    }
    grid = claim.experiment(quick=True).grid
    if claim.needs:
        options["panels"] = [played / "results/smoke/hospital/study/panels/NM.csv"]
        grid |= {"t": [4], "least": 0.0}  # the copy's weeks are few
    if claim.needs == "table-2":
        options["table"] = played / "results/smoke/paper/tables/table-2.csv"
    if claim.needs == "report-noise":
        options["report_noise"] = report_noise_files(played / "results/smoke", ["NM"])
    package = Path(private_experts.__file__).parent
    entry = vars(claim) | {"grid": grid, "repetitions": 20, "cap": 20, "real_data_only": False}
    file.write_text(yaml.safe_dump({"paper": claim.paper, "claims": [entry]}))
    ran = executed_definitions(lambda: STAGES["checks"]([name], [file], seed=1, **options), package)
    tracked = {entry: own().reach(entry).keys() for entry in (CHECKS, ledger.entry_of(claim))}
    assert ran - set().union(*tracked.values()) == set()
    assert ledger.entry_of(claim) in ran


def test_another_checks_code_is_no_reason_to_check_again() -> None:
    assert {ledger.entry_of(claim) for claim in CLAIMS.values()} & own().reach(CHECKS).keys() == set()


def test_no_code_that_the_notebooks_cells_call_escapes_the_fingerprints_of_its_imports(
    played: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = ROOT / "paper/replication.py"  # the copy's own is small, and its figures are drawn in one format
    for figure in (played / "results/smoke/paper/figures").glob("*.svg"):
        figure.with_suffix(".png").write_bytes(b"")
    for slow in ("savefig", "draw_without_rendering"):  # none of it is ours
        monkeypatch.setattr(Figure, slow, lambda *_, **__: None)
    monkeypatch.setenv(RESULTS_VARIABLE, str(played / "results/smoke"))
    monkeypatch.setenv(PAPER_VARIABLE, str(played / "results/smoke/paper"))
    cells = compile(source.read_text(encoding="utf-8"), str(source), "exec")
    package = Path(private_experts.__file__).parent
    ran = executed_definitions(lambda: exec(cells, {"__name__": "notebook"}), package)
    tracked: set[str] = set().union(*(own().reach(entry) for entry in entries(source)))
    assert "private_experts.algorithms.rw_meta:RWMeta" in ran
    assert ran - tracked == set()


def test_no_code_escapes_the_fingerprint_of_the_summary(
    played: Project, audit: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    audit(STAGES["summary"], {"manifest": played / "results/smoke/manifest.json", "started": 0.0})
    assert "SYNTHETIC DATA" in capsys.readouterr().out


def test_no_code_escapes_the_fingerprints_of_the_stage_and_the_drawing_of_a_figure(
    played: Project, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_rendering(monkeypatch)
    words = next(words for words in commands if words[0] == "claim-figures")
    options = _options(words) | {"figures": played.root}
    options["folder"] = played.root / options["folder"]
    options["claim_files"] = [played.root / path for path in options["claim_files"]]
    (figure,) = drawings(options["claim_files"], options["names"])
    package = Path(private_experts.__file__).parent
    ran = executed_definitions(lambda: options.pop("stage")(**options), package)
    drawing, stage = (
        f"{PAPERS}.{figure.draw}",
        "private_experts.replication.report.claims_stages:claim_figures",
    )
    tracked = [own().reach(entry).keys() for entry in (stage, drawing)]
    assert ran - set().union(*tracked) == set()
    assert drawing in ran
    assert drawing not in tracked[0]


def test_the_rules_pass_every_option_so_that_no_default_of_the_command_line_counts(
    commands: list[list[str]],
) -> None:
    assert commands
    for words in commands:
        passed = {word.partition("=")[0] for word in words if word.startswith("--")}
        wanted = {
            parameter.flag
            for parameter in parameters(STAGES[words[0].replace("-", "_")])
            # a switch that is not there is off
            if parameter.source not in (FLAGS, PERSON, ARGUMENT) and parameter.type is not bool
        }
        assert wanted - passed == set(), words[0]


FOR_PEOPLE = {"summary", "claims", "verify", "plan"}


def test_every_command_but_those_for_people_has_a_rule() -> None:
    assert {name for name in STAGES if name not in FOR_PEOPLE} == {*RULES}
    assert {name for name, stage in STAGES.items() if not is_rule(stage)} == FOR_PEOPLE


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_calls_the_command_and_tracks_the_stage_of_its_own_name(rule: str) -> None:
    stem = rule.replace("_", "-")
    assert re.findall(r'study\.call\("(\w+)"', _directive(rule, "shell")) == [rule]
    assert re.findall(r'study\.flags(?:\(\s*"|_of_)(\w+)', _directive(rule, "params"))[:1] == [rule]
    assert f'        code=study.code("{rule}"),\n' in _directive(rule, "input")
    assert ("=lambda wildcards: study.code_of(players.entry" in _directive(rule, "input")) == (
        rule == "games"
    )
    assert ("**study.inputs_of_checks(bundle),\n" in _directive(rule, "input")) == (rule == "checks")
    assert ("**study.inputs_of_figures(sheet),\n" in _directive(rule, "input")) == (rule == "claim_figures")
    assert re.match(rf'\s+f?"<logs>/{stem}[./]', _directive(rule, "log"))
    assert _directive(rule, "conda").strip() == '"../../environment.yml"'
