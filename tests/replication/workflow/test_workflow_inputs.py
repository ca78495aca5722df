"""What the rules ask for follows from the config, the ledger and the stages' signatures."""

import json
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PathDistribution
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from private_experts.replication.ledger.bundles import Bundle
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.stage_cli import is_rule, nested
from private_experts.replication.study import players
from private_experts.replication.study.data.query import parse
from private_experts.replication.study.data.source import flags, resolve
from private_experts.replication.verify import code_origin
from private_experts.replication.workflow import workflow_inputs
from private_experts.replication.workflow.workflow_inputs import WorkflowInputs
from tests.bad_input.desk import assert_one_line
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

ROOT = Path(__file__).parents[3]
CONFIG = load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))


def names_alone(entries: Iterable[str], folder: Path, lock: Path) -> dict[str, Path]:
    """Return the stamps' files unwritten: tests/workflow follows the code, which takes seconds."""
    names = {entry: entry.partition(".")[2].replace(":", ".") for entry in entries}
    return {entry: folder / f"{name}.txt" for entry, name in (names | {"packages": "packages"}).items()}


@pytest.fixture(scope="module", autouse=True)
def unfollowed() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(workflow_inputs, "write_stamps", names_alone)
        patched.setattr(workflow_inputs.ledgers, "read", lambda *_: KNOWN)  # read once
        yield


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> WorkflowInputs:
    results = tmp_path_factory.mktemp("results")
    return WorkflowInputs(CONFIG | {"pathvars": CONFIG["pathvars"] | {"results": str(results)}}, ROOT)


def job(**wildcards: str) -> SimpleNamespace:
    return SimpleNamespace(**wildcards)


def bundle_of(study: WorkflowInputs, claim: str) -> Bundle:
    return next(bundle for bundle in study.bundles if claim in bundle.ids)


def test_games_are_looked_for_in_the_parts_that_have_their_states(study: WorkflowInputs) -> None:
    def parts(*states: str) -> list[str]:
        return [Path(path).parts[-2] for path in study.games("study", states, ["rw-ftpl"])]

    assert {*study.parts["main"]}.isdisjoint(study.parts["others"])
    assert (parts("NM", "CA"), parts("VT"), parts("VT", "PA")) == (["main"], ["others"], ["main", "others"])


def test_a_scenario_shares_the_games_of_every_player_that_it_does_not_touch(study: WorkflowInputs) -> None:
    def home(scenario: str, player: str) -> str:
        return Path(study.games(scenario, ["NM"], [player])[0]).parts[-3]

    scenarios = ("autoregression", "suppressed-as-0", "removal")
    assert [home(scenario, "rw-ftpl") for scenario in scenarios] == ["study", *scenarios[1:]]
    assert home("autoregression", "rw-meta") == "autoregression"
    for scenario in ("removal", "noise-covers-suppression"):  # adjacency and noise are no matters of cleaning
        assert Path(study.panels(scenario, ["NM"])[0]).parts[-3] == "study"


def test_only_a_player_that_asks_for_settings_gets_them(study: WorkflowInputs) -> None:
    def words_of(player: str, scenario: str = "study") -> list[str]:
        return study.settings_of_games(job(scenario=scenario, algorithm=player))

    learners = {"rw-meta", "rw-meta-variants", "central-learners", "own-counts-local"}
    assert {player for player in players.names() if words_of(player)} == learners
    flag, *words = words_of("rw-meta")
    assert (flag, nested(words)) == ("--settings", {"learners": CONFIG["learners"]})
    assert "learners.family=gaussian-process" in words_of("rw-meta", "gaussian-process")


def test_a_stage_is_told_what_its_scenario_says_and_what_the_rule_adds(study: WorkflowInputs) -> None:
    words = ["--privacy_levels", "inf", "1", "0.5", "0.25", "--repetitions=100", "--seed=2026"]
    for scenario, adjacency in (("study", "move"), ("removal", "removal")):
        found = study.flags("games", lambda _: ["--more"])(job(scenario=scenario))
        assert found == [*words, f"--hospital.adjacency={adjacency}", "--hospital.reach=1", "--more"]
    assert "--more" not in study.flags("games")(job(scenario="study"))


def test_a_check_reruns_by_what_decides_its_claims_and_not_by_their_words(study: WorkflowInputs) -> None:
    bundle = bundle_of(study, "000/tree-nodes")
    assert study.claim_files_of(bundle) == ["claims/000.yaml"]
    words = [word for word in study.deciding(bundle) if word.startswith("000/tree-nodes.")]
    assert "000/tree-nodes.check=p000.tree_baseline:tree_nodes" in words
    assert any(word.startswith("000/tree-nodes.grid.T=[") for word in words)
    assert not any("statement" in word for word in words)


def test_the_command_of_a_rule_names_inputs_outputs_and_wildcards_as_its_stage_does(
    study: WorkflowInputs,
) -> None:
    assert study.call("games") == (
        "private-experts --account games {params.flags:q} --algorithm {wildcards.algorithm:q} "
        "--panels {input.panels:q} --totals {output.totals:q} --curves {output.curves:q} --report-noise "
        "{output.report_noise:q} 2> {log:q}"
    )


def test_claims_get_what_they_need_and_no_more(study: WorkflowInputs) -> None:
    wanted = {
        "000/tree-nodes": (0, 0, 0, 0),
        "000/proxy-law-hospital": (3, 0, 1, 0),
        "000/table-2-words": (3, 0, 1, 0),
        "000/table-2-values": (3, 1, 1, 0),
        "000/recorded-noise": (3, 0, 1, len(players.ON_REPORTS) + 3),
    }
    for claim, counts in wanted.items():
        inputs = study.inputs_of_checks(bundle_of(study, claim))
        found = (len(inputs[name]) for name in ("panels", "table", "provenance", "report_noise"))
        assert (*found,) == counts, claim


def test_a_figure_names_the_seed_only_when_chance_is_in_it(study: WorkflowInputs) -> None:
    best, regret = (study.sheets[name[:3]][name] for name in ("001-where-best", "002-regret"))
    assert (best.sampled, regret.sampled) == (False, True)
    assert study.inputs_of_figures({"001-where-best": best})["evidence"][0].endswith("/001/best-bound.csv")
    assert 'claims=["001/best-bound"]' in " ".join(study.drawn_from({"001-where-best": best}))


def test_figures_of_players_rest_on_how_each_player_is_shown(study: WorkflowInputs) -> None:
    shown = [f"{name.replace('-', '_')}.SHOWN.txt" for name in players.names()]
    found = [Path(path).name.removeprefix("replication.study.players.") for path in study.looks()]
    assert found == shown


def test_a_player_that_asks_for_what_the_config_has_not_is_refused(
    study: WorkflowInputs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for section in ("colour", "confidence"):  # none, and one that is no mapping
        monkeypatch.setattr(study, "sections", lambda player, section=section: [section])
        with pytest.raises(SystemExit):
            study.settings_of_games(job(scenario="study", algorithm="rw-meta"))
        assert f"rw-meta asks for {section}" in capsys.readouterr().err


def test_every_stage_player_check_and_drawing_has_a_stamp(study: WorkflowInputs) -> None:
    names = {Path(path).name for path in study.stamps()}
    rules = {name: stage for name, stage in study.stages.items() if is_rule(stage)}
    assert {f"{stage.__module__.partition('.')[2]}.{name}.txt" for name, stage in rules.items()} <= names
    assert {"games", "table_2", "checks", "page"} <= rules.keys()
    assert len({name for name in names if ".study.players." in name}) == 2 * len(players.names())
    checks = {claim.check.replace(":", ".") for claim in study.claims.values()}
    assert {f"replication.papers.{check}.txt" for check in checks} <= names


@each(
    ("data", "given", "left_out"),
    [
        ("pinned", {"--file", "--sha256"}, {"--download", "--states", "--seed"}),
        (str(ROOT / "README.md"), {"--file", "--sha256"}, {"--download", "--states", "--seed"}),
        ("healthdata", {"--download", "--cache"}, {"--sha256", "--states", "--seed"}),
        ("synthetic", {"--states", "--weeks", "--seed"}, {"--sha256", "--download"}),
    ],
)
def test_a_source_is_told_what_it_needs_and_nothing_that_another_would(
    data: str, given: set[str], left_out: set[str]
) -> None:
    source = resolve(data)
    words = flags(source, CONFIG, [CONFIG], ["NM", "PA"])
    assert given <= set(words)
    assert not left_out & set(words)
    if "--sha256" in given:
        assert words[words.index("--sha256") + 1] == source.sha256
    if "--download" in given:
        assert parse(words[words.index("--download") + 1]).states == []  # the study has all states


def test_known_verdicts_on_data_belong_to_the_studys_own_config(study: WorkflowInputs) -> None:
    def flags_with(**changed: Any) -> list[str]:
        return WorkflowInputs({**CONFIG, **changed}, ROOT, in_job=True).flags_of_ledger(None)

    hospital = CONFIG["hospital"]
    elsewhere = CONFIG["pathvars"] | {"results": "elsewhere", "logs": "elsewhere/logs"}
    assert flags_with() == flags_with(pathvars=elsewhere) == ["--own-config"]
    assert flags_with(seed=CONFIG["seed"] + 1) == flags_with(hospital=hospital | {"states": ["NM"]}) == []


def test_checks_may_take_longer_at_each_attempt(study: WorkflowInputs) -> None:
    for bundle in study.bundles:
        minutes = [study.minutes_of_checks(bundle)(None, attempt) for attempt in (1, 2, 3)]
        seconds = sum(claim.seconds for claim in bundle.claims)
        assert minutes == [minutes[0], 2 * minutes[0], 3 * minutes[0]]
        assert 60 * minutes[0] > 4 * seconds


def test_a_check_is_told_of_quick_grids_where_they_are_others(
    study: WorkflowInputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(claim: str) -> bool:
        return "--quick" in study.flags_of_checks(bundle_of(study, claim))(job())

    assert not told("000/tree-nodes")
    monkeypatch.setattr(study, "quick", True)
    assert (told("000/tree-nodes"), told("000/table-2-values")) == (True, False)


Refused = Callable[[Callable[[], object]], str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """Return a function that sees a plan end before it begins, with the one line that it returns."""

    def of(plan: Callable[[], object]) -> str:
        with pytest.raises(SystemExit) as end:
            plan()
        assert_one_line(end.value.code, error := capsys.readouterr().err)
        return error

    return of


def test_a_folder_whose_name_has_braces_is_refused_in_one_line(tmp_path: Path, refused: Refused) -> None:
    for name in ("a{", "b}/c"):
        error = refused(lambda name=name: WorkflowInputs(CONFIG, tmp_path / name))
        assert name in error
        assert "braces" in error


def test_a_plan_for_another_version_of_a_download_ends_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.delenv("PRIVATE_EXPERTS_REPLACE", raising=False)
    record = {"kind": "healthdata", "label": "the last data", "sha256": "0" * 64}
    (tmp_path / "data.json").write_text(json.dumps(record))
    paths = CONFIG["pathvars"] | {"results": str(tmp_path), "paper": str(tmp_path / "paper")}

    def planned(digest: str) -> WorkflowInputs:
        healthdata = CONFIG["hospital"]["healthdata"] | {"sha256": digest}
        hospital = CONFIG["hospital"] | {"data": "healthdata", "healthdata": healthdata}
        return WorkflowInputs(CONFIG | {"pathvars": paths, "hospital": hospital}, ROOT)

    planned("0" * 64).keep_results()
    error = refused(planned("1" * 64).keep_results)
    assert "computed from the last data, and this run would overwrite them" in error


@each(
    ("results", "paper", "does"),
    [
        ("results", "paper", "run make clean"),
        ("results/mine", "results/mine/paper", "delete the folder results/mine"),
        ("results/mine", "paper", "delete the folder results/mine and run make clean"),
    ],
)
def test_results_without_a_record_are_refused_with_what_to_delete(
    study: WorkflowInputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: Refused,
    results: str,
    paper: str,
    does: str,
) -> None:
    home = tmp_path / results.replace("/", "-") / paper.replace("/", "-")
    monkeypatch.setattr(study, "results", Path(results))
    monkeypatch.setattr(study, "paper", Path(paper))
    files = [f"{results}/a.csv", f"{paper}/b.csv", f"{results}/manifest.json"]
    for path in files:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text('{"config": {"values": {"seed": 7}}}')
    monkeypatch.chdir(home)
    seven, other = ({"shellcmd": f"x manifest --config seed={seed} --evidence y"} for seed in (7, 8))
    assert study.refuse_unrecorded(files, lambda _: seven) == []
    # Put back from a backup, beside the records of a later run of the config that is asked for.
    for record in (None, other):
        error = refused(lambda record=record: study.refuse_unrecorded(files, lambda _: record))
        said = f"private-experts: {results}/a.csv and 2 more: may be of another seed than the config has"
        assert error.startswith(said)
        assert f"so it would keep them; {does}, or copy the folder .snakemake of their run" in error


def test_a_plan_that_would_write_among_the_sources_or_run_other_code_ends_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    def ends(message: str, **pathvars: str) -> None:
        config = CONFIG | {"pathvars": CONFIG["pathvars"] | pathvars}
        assert message in refused(lambda: WorkflowInputs(config, ROOT))

    ends("config: pathvars.results: /", results="/")
    ends("config: pathvars.logs: src", logs="src")
    with monkeypatch.context() as other:
        other.setattr("importlib.metadata.Distribution.metadata", {"Version": "0.1"})
        ends("is installed in version 0.1, and requirements.lock has ")
    read = PathDistribution.read_text
    with monkeypatch.context() as other:
        recorded = {"RECORD": "gone.py,sha256=aa,4"}
        other.setattr(PathDistribution, "read_text", lambda of, name: recorded.get(name) or read(of, name))
        ends("gone.py is gone, empty, cut short or edited; run ")
    monkeypatch.setattr(code_origin, "HERE", tmp_path)
    ends(f"private-experts is imported from {tmp_path}")


def test_what_jobs_take_is_what_they_took_last_and_else_what_the_repository_says(tmp_path):
    logs = {"logs": str(tmp_path / "logs")}
    planned = WorkflowInputs(CONFIG | {"pathvars": CONFIG["pathvars"] | logs}, ROOT)
    fresh = planned.recorded()
    assert fresh["games"] > 0.1
    assert sum(fresh[f"checks/{bundle.name}"] for bundle in planned.bundles) > 10
    log = tmp_path / "logs/games/study/main/rw-meta.log"
    log.parent.mkdir(parents=True)
    log.write_text("took 99.00 s, 7.50 s of CPU, 160 MB\n")
    again = planned.recorded()
    assert again["games/study/main/rw-meta"] == 7.5
    assert "games" not in again
