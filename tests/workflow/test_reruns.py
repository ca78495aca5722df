"""What is redone after a change: what depends on it, and nothing else.

Edits of code are followed in two steps. Which stamps they change is worked out here, for each edit alone, and from the
plan of the study follow the jobs that read those stamps and what comes after them. That Snakemake takes these very jobs
is seen in dry runs, for edits of each kind of input. All else is asked of Snakemake alone.
"""

import os
import re
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from private_experts.replication.hospital import synthetic
from private_experts.replication.hospital.standing import REPLACE_VARIABLE
from tests.workflow.conftest import (
    CONFIGS,
    LEDGER,
    ROOT,
    DryRun,
    Job,
    Plan,
    Project,
    after,
    before_any_run,
    copy_project,
    edited,
    restamped,
)
from tests.workflow.warm import Warm

# What comes after each rule.
CLAIM = {
    "000/tree-nodes": Job("checks_paper_000_1"),
    "000/lemma-3": Job("checks_paper_000_2"),
    "000/proxy-law-hospital": Job("checks_paper_000_1_panels"),
    "000/table-2-best": Job("checks_paper_000_2_panels"),
    "000/table-2-values": Job("checks_paper_000_1_table_2"),
    "000/rw-meta-centring": Job("checks_paper_000_3"),
}
AFTER_CLAIMS: set[str | Job] = {"ledger", "verdicts", "claims_tex", "notebook", "manifest", "page", "all"}
LAST = {"manifest", "page", "all"}
AFTER_TABLE_2 = {CLAIM["000/table-2-values"]} | AFTER_CLAIMS
PLAYED = {CLAIM["000/table-2-best"]}  # it plays the games itself
COMPARED = {"rw-meta", "rw-ftpl", "tree-ftpl"}  # in the scenarios of sensitivity
GAMES = COMPARED | {"yardsticks", "private-leaders", "prefix-sums", "central-learners"}
AFTER_ANY_GAME = {"table_2", "rw_meta_variants", "privacy_models", "explorer"} | AFTER_TABLE_2
AFTER_YARDSTICKS = {"figure_2", "generality"} | AFTER_ANY_GAME
UNIVERSES = {"universes", "multiverse"}  # they play and clean themselves
AFTER_GAMES = AFTER_YARDSTICKS | {"sensitivity", "locality"} | UNIVERSES
BATCHED = {"batch_sizes", "batched_games", "hospital_batches", "tolerances"}
BATCHING_FIGURES = {"figure_1", "figure_batch_sizes", "figure_amplification", "figure_batching_costs"}
AFTER_BATCHES = BATCHED | BATCHING_FIGURES | {"explorer", "manifest", "page", "all"}
PLAYS = {"batched_games", "hospital_batches", "figure_amplification", "figure_batching_costs"}
ON_PANELS = {"hospital_batches", "figure_amplification"}
PROTECTED = {"suppression"}  # what a person's privacy is when figures are suppressed
AFTER_PANELS = GAMES | AFTER_GAMES | ON_PANELS | PLAYED | PROTECTED | {"quality", CLAIM["000/proxy-law-hospital"]}
TABLES = {
    "multiverse",
    "table_2",
    "generality",
    "sensitivity",
    "rw_meta_variants",
    "privacy_models",
    "locality",
} | AFTER_TABLE_2
AFTER_REPORTS = {"reports", "panels"} | AFTER_PANELS
AFTER_DRAWN = {"claim_figures"} | AFTER_CLAIMS  # after a claim that a figure shows
EVERYTHING = AFTER_REPORTS | AFTER_BATCHES | {"checks"} | AFTER_DRAWN

PACKAGE = "src/private_experts"


def kind(job: Job) -> str:
    """Return the rule of a job; the player of a game, whose rule all players share."""
    player = re.search(r"algorithm=([a-z-]+)", job.wildcards)
    return player[1] if player else re.sub("^(checks|claim_figures)_.*", r"\1", job.rule)


def of(jobs: set[Job], rules: set[str | Job]) -> set[Job]:
    """Return the jobs of some rules or players, and single ones."""
    return {job for job in jobs if kind(job) in rules or job in rules}


def test_the_study_of_these_tests_has_every_rule(everything: set[Job]) -> None:
    assert {kind(job) for job in everything} == {each for each in EVERYTHING if not isinstance(each, Job)}
    assert {job for job in everything if kind(job) == "checks"} == {*CLAIM.values()}


def test_snakemake_and_the_console_script_use_the_copys_package(project: Project) -> None:
    compiled = [path.name.partition(".")[0] for path in (project / PACKAGE).rglob("__pycache__/*.pyc")]
    assert {"stamps", "rw_meta"} <= set(compiled)  # the DAG imports the one, a job's console script the other
    with edited(project / PACKAGE / "replication/cli.py", "prog=PROGRAM,", 'prog="the-copy",'):
        script = shutil.which("private-experts", path=str(Path(sys.executable).parent))
        assert script
        assert project.run(script, "--help").stdout.startswith("usage: the-copy")


HARMLESS = {
    "a comment": (
        "algorithms/credited_leader.py",
        "        self._round += 1",
        "        # the next week\n        self._round += 1",
    ),
    "a module's docstring": ("algorithms/rw_meta.py", '"""RW-Meta: choose', '"""RW-Meta chooses: choose'),
    "a method's docstring": (
        "algorithms/credited_leader.py",
        '"""Return the chosen learner\'s action',
        '"""Tell the action',
    ),
    "layout": ("algorithms/rw_meta.py", "_LIFT = 1e-9", "_LIFT = (\n    1e-9\n)"),
    "a function that nothing uses": (
        "algorithms/rw_meta.py",
        "_LIFT = 1e-9",
        "_LIFT = 1e-9\n\n\ndef f():\n    return 1\n",
    ),
    "an unused class": (
        "algorithms/bernoulli_resampled.py",
        "(self.repetitions, self.n)) < gains",
        "(self.repetitions, self.n)) <= gains",
    ),
    "the command line": ("replication/command_line.py", 'else "NUMBER"', 'else "N"'),
}


@pytest.mark.parametrize("change", HARMLESS)
def test_no_stamp_changes_after_an_edit_of(change: str, project: Project) -> None:
    file, old, new = HARMLESS[change]
    with edited(project / PACKAGE / file, old, new):
        assert restamped(project) == set()


def test_nothing_reruns_after_new_dates_all_harmless_edits_and_an_unrelated_new_module(
    project: Project, dry_run: DryRun
) -> None:
    places = ("src", "config", "claims", "workflow", "results/smoke/hospital", "results/smoke/code")
    files = [path for place in places for path in (project / place).rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"rw_meta.py", "study.yaml", "hospital.smk", "reports.csv", "replication.hospital.stages.games.txt"} <= names
    lock, module = project / "requirements.lock", project / PACKAGE / "algorithms/unrelated.py"
    for path in (*files, project / "Snakefile", lock):
        os.utime(path)
    module.write_text("def leader(totals):\n    return totals.argmax()\n")
    try:
        with ExitStack() as edits:
            first = lock.read_text().partition("\n")[0]
            edits.enter_context(edited(lock, f"{first}\n", f"# by hand\n{first}\n"))
            for change in HARMLESS.keys() - {"layout"}:  # which edits the line of another
                file, old, new = HARMLESS[change]
                edits.enter_context(edited(project / PACKAGE / file, old, new))
            assert dry_run(project) == set()
    finally:
        module.unlink()


CENTRING = {CLAIM["000/rw-meta-centring"]}

REAL = {
    "RWMeta": (
        "algorithms/credited_leader.py",
        "self._round += 1",
        "self._round += 2",
        {"rw-meta", "central-learners"} | PLAYED | AFTER_GAMES,
    ),
    "Decorrelation": (
        "algorithms/rw_meta.py",
        "2.0 * np.asarray(t)",
        "3.0 * np.asarray(t)",
        {"rw-meta", "central-learners", *CENTRING} | PLAYED | AFTER_GAMES,
    ),
    "a learner": (
        "learners/recorded.py",
        "class Recorded:",
        "class Recorded(object):",
        {"rw-meta", "central-learners"} | PLAYED | AFTER_GAMES,
    ),
    "the tree": (
        "algorithms/tree_ftpl.py",
        "math.sqrt(horizon))",
        "2 * math.sqrt(horizon))",
        {"tree-ftpl"} | PLAYED | AFTER_GAMES,
    ),
    "a yardstick": (
        "algorithms/yardsticks.py",
        "self._total = self._total + gains",
        "self._total = self._total - gains",
        {"yardsticks"} | AFTER_YARDSTICKS,
    ),
    "a curator's algorithm": (
        "algorithms/dyadic_leader.py",
        "self._played += 1",
        "self._played += 2",
        {"private-leaders"} | UNIVERSES | PLAYED | AFTER_ANY_GAME,
    ),
    "what central games share": (
        "replication/hospital/game.py",
        "play(make(mu), game.gains)",
        "play(make(mu), 2 * game.gains)",
        {"tree-ftpl", "yardsticks", "prefix-sums"} | PLAYED | AFTER_GAMES,
    ),
    "what local games share": (
        "replication/hospital/players/rw_ftpl.py",
        "noise_scale=first,",
        "noise_scale=2 * first,",
        {"rw-ftpl", "rw-meta", "central-learners"} | PLAYED | AFTER_GAMES,
    ),
    "what all games share": (
        "games/regret.py",
        "return gains[rounds, actions]",
        "return 2 * gains[rounds, actions]",
        GAMES | PLAYS | PLAYED | AFTER_GAMES,
    ),
    "how tables are written": (
        "replication/drawing/tables.py",
        r'r"\centering",',
        r'r"\raggedright",',
        TABLES | BATCHING_FIGURES | PROTECTED | {"quality"},
    ),
    "how figures are saved": (
        "replication/drawing/figures.py",
        "else 200, metadata",
        "else 150, metadata",
        {"figure_2", "generality", "privacy_models", "locality", "multiverse", "claim_figures", "notebook", *LAST}
        | BATCHING_FIGURES,
    ),
    "a check": (
        "replication/claims/checks/paper_000/meta.py",
        "value, least * (1 + 1e-9)",
        "value, least * (1 + 2e-9)",
        CENTRING | AFTER_CLAIMS,
    ),
    "a check that no claim of this ledger asks": (
        "replication/claims/checks/paper_000/meta.py",
        'expected in (("orthogonal", 1.0),',
        'expected in (("orthogonal", 2.0),',
        {"page", "all"},  # the page shows the code of the checks
    ),
    "what two checks share": (
        "replication/claims/certified/boxes.py",
        "return Point(where, middle, limit, low, high, sense, dict(notes or {}), trivial, certified=True)",
        "return Point(where, middle, limit, low, high, sense, dict(notes or {}), trivial, certified=False)",
        CENTRING | AFTER_CLAIMS,
    ),
    "the algorithm of the plays": (
        "algorithms/rw_adabatch.py",
        "self._remaining -= 1",
        "self._remaining -= 2",
        PLAYS | LAST,
    ),
    "intervals of probabilities": (
        "replication/intervals.py",
        "tail = (1 - confidence) / (2 * intervals)\n    low",
        "tail = (1 - confidence) / intervals\n    low",
        {CLAIM["000/lemma-3"], CLAIM["000/proxy-law-hospital"], "figure_batch_sizes", "figure_amplification"}
        | {"figure_batching_costs", "multiverse"}
        | AFTER_DRAWN,
    ),
    "how points decide": (
        "replication/claims/evidence.py",
        "if any(high < 0 for",
        "if any(high <= 0 for",
        {"checks"} | AFTER_DRAWN,
    ),
    "a drawing": (
        "replication/claims/figures/paper_000.py",
        "axis.axvline(1,",
        "axis.axvline(2,",
        {"claim_figures", "notebook", *LAST},
    ),
    "how claims are shown": (
        "replication/claims/ledger_tables.py",
        "# Claims and verdicts",
        "# Claims",
        {"ledger"} | AFTER_CLAIMS,
    ),
    "what verdicts are right": (
        "replication/claims/ledger.py",
        'found in (expected, "not run")',
        "found == expected",
        AFTER_CLAIMS,
    ),
    "what the notebook alone calls": ("replication/run/reading.py", "_SHOWN = 100", "_SHOWN = 90", {"notebook", *LAST}),
    "how the notebook is shown": (
        "replication/run/notebook.py",
        'style="xcode"',
        'style="default"',
        {"notebook", *LAST},
    ),
    "the ledger in LaTeX": (
        "replication/claims/claims_tex.py",
        '"nearest to failing, or counterexample"',
        '"nearest"',
        {"claims_tex", *LAST},
    ),
    "the page's numbers": ("replication/drawing/numbers.py", "seconds < 9.95", "seconds < 99.5", LAST),
    "the page's template": (
        "replication/claims/page/templates/errata.html.j2",
        "As we read it",
        "As it was read",
        {"page", "all"},
    ),
    "the page's style": (
        "replication/claims/page/assets/style.css",
        "max-width: 75ch",
        "max-width: 70ch",
        {"page", "all"},
    ),
    "the explorer's script": (
        "replication/explorer/assets/explorer.js",
        "const last = weeksOf(state).length - 1;",
        "const last = weeksOf(state).length - 2;",
        {"explorer", *LAST},
    ),
    "the manifest": ("replication/run/manifest.py", '"cores": os.cpu_count(),', "", {"manifest", "page", "all"}),
}


@pytest.mark.parametrize("change", REAL)
def test_exactly_what_calls_it_reruns_after_an_edit_of(change: str, project: Project, plan: Plan) -> None:
    file, old, new, rules = REAL[change]
    with edited(project / PACKAGE / file, old, new):
        assert after(plan, restamped(project) | {f"{PACKAGE}/{file}"}) == of({*plan}, rules)


# A player's code alone, two claims', a drawing's, and a file that is no Python; what games share is edited below.
TRULY = ["a curator's algorithm", "what two checks share", "a drawing", "the page's style"]


def test_snakemake_redoes_what_follows_from_the_plan_after_edits_and_nothing_after_they_are_taken_back(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    with ExitStack() as edits:
        for file, old, new, _ in map(REAL.__getitem__, TRULY):
            edits.enter_context(edited(project / PACKAGE / file, old, new))
        assert dry_run(project) == of(everything, set().union(*(REAL[change][-1] for change in TRULY)))
    assert dry_run(project) == set()


def test_only_the_notebook_reruns_after_an_edit_of_its_source(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    with edited(project / "paper/replication.py", "SEED = 2026", "SEED = 2027"):
        assert dry_run(project) == of(everything, {"notebook", *LAST})


LEARNED = {"rw-meta", "central-learners"}  # players that ask for the learners
# One section of the config, which players ask for as a whole. That windows are passed too is seen in test_plan.py.
CONFIG: dict[str, tuple[dict[str, Any], set[str | Job]]] = {
    "seed": ({"seed": 7}, GAMES | AFTER_GAMES | AFTER_BATCHES | {"checks"} | AFTER_DRAWN),
    "repetitions": ({"repetitions": 3}, (GAMES | AFTER_GAMES | ON_PANELS) - UNIVERSES),
    "privacy_levels": ({"privacy_levels": [float("inf"), 0.5, 1]}, GAMES | AFTER_GAMES | ON_PANELS | PROTECTED),
    "hospital.adjacency": (
        {"hospital": {"adjacency": "removal"}},
        (GAMES | AFTER_GAMES | ON_PANELS | PROTECTED) - UNIVERSES,
    ),
    "learners.strengths": ({"learners": {"strengths": {"medium": 2}}}, LEARNED | AFTER_GAMES),
    "confidence": ({"confidence": 0.9}, UNIVERSES | TABLES | BATCHING_FIGURES | {"explorer"}),
    "hospital.smallest_beds": ({"hospital": {"smallest_beds": 5}}, AFTER_REPORTS - UNIVERSES - {"reports"}),
    "hospital.synthetic.seed": ({"hospital": {"synthetic": {"seed": 2}}}, AFTER_REPORTS),
    # Keys that one product alone uses, or none: a scenario that equals the study plays no games of its own.
    "evidence, generality, download and a scenario": (
        {
            "evidence": {"allow_undecided": False},
            "generality": {"smallest_number_of_hospitals": 6},
            "hospital": {"healthdata": {"page_size": 1000}},
            "sensitivity": {"suppression": {"as-always": {"hospital": {"suppressed_value": 2}}}},
        },
        {"verdicts", "generality", Job("sensitivity", "choice=suppression"), *LAST},
    ),
}


@pytest.mark.parametrize("key", CONFIG)
def test_exactly_what_uses_it_reruns_after_a_change_of(
    key: str, project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    changes, rules = CONFIG[key]
    assert dry_run(project, config=changes) == of(everything, rules)


def test_claims_with_a_quick_grid_rerun_with_their_whole_one_long_ones_alone_but_for_those_on_panels(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    jobs = {Job(f"checks_{name}") for name in ("000_lemma_3", "paper_000_batches_panels", "paper_000_study_panels")}
    jobs |= {Job("claim_figures_000_tightness")}
    found = dry_run(project, config={"evidence": {"quick": False}})
    assert found == jobs | of(everything, AFTER_CLAIMS)


WORDS = [
    ("a datum lies in at most $h", "no datum lies in more than $h"),
    (r"\text{nodes containing } t", r"\text{nodes with } t"),
    ("expected: fails", "expected: null"),
    ("  seconds: 7", "  seconds: 8"),
]


def test_no_claim_but_the_figure_it_joins_reruns_after_an_edit_of_words_costs_and_what_a_figure_shows(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    shown = ("  claims:\n  - 000/lemma-3\n", "  claims:\n  - 000/tree-nodes\n")
    with ExitStack() as edits:
        for old, new in (*WORDS, shown):
            edits.enter_context(edited(project / LEDGER, old, new))
        assert dry_run(project) == of(everything, AFTER_DRAWN)


LEDGERS: dict[str, tuple[list[tuple[str, str]], set[str | Job]]] = {
    "two claims' grid and check": (
        [
            ("    - 9\n", "    - 8\n"),
            ("check: paper_000.meta:centring_is_tighter", "check: paper_000.meta:rw_meta_law"),
        ],
        {CLAIM["000/tree-nodes"], CLAIM["000/rw-meta-centring"]} | AFTER_CLAIMS,
    ),
    "a claim's cap": ([("cap: 1280000", "cap: 640000")], {CLAIM["000/lemma-3"]} | AFTER_DRAWN),
}


@pytest.mark.parametrize("change", LEDGERS)
def test_the_ledger_and_no_claim_but_those_it_decides_rerun_after_an_edit_of(
    change: str, project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    changes, rules = LEDGERS[change]
    with ExitStack() as edits:
        for old, new in changes:
            edits.enter_context(edited(project / LEDGER, old, new))
        assert dry_run(project) == of(everything, rules)


def test_a_new_claim_runs_with_its_neighbours_and_the_ledger(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    first = "- id: 000/tree-nodes\n"
    text = (project / LEDGER).read_text(encoding="utf-8")
    entry = re.search(rf"^{first}.*?(?=^- id)", text, re.MULTILINE | re.DOTALL)
    assert entry
    with edited(project / LEDGER, entry[0], entry[0] + entry[0].replace("tree-nodes", "tree-nodes-again")):
        assert dry_run(project) == of(everything, {CLAIM["000/tree-nodes"]} | AFTER_CLAIMS)


def _of_scenario(name: str, table: str) -> set[Job]:
    """Return the jobs of one scenario with its own cleaning, and what comes after."""
    games = {Job("games", f"scenario={name}, part=main, algorithm={player}") for player in COMPARED}
    after = {Job("sensitivity", f"choice={table}"), *map(Job, LAST)}
    return {Job("panels", f"scenario={name}")} | games | after


def test_a_changed_scenario_and_a_new_one_run_themselves_and_their_table(project: Project, dry_run: DryRun) -> None:
    values = {"suppressed-as-0": 1, "suppressed-as-4": 4}
    scenarios = {name: {"hospital": {"suppressed_value": value}} for name, value in values.items()}
    wanted = set().union(*(_of_scenario(name, "suppression") for name in scenarios))
    assert dry_run(project, config={"sensitivity": {"suppression": scenarios}}) == wanted


def test_a_clone_with_results_but_without_records_accepts_none_of_them(
    finished: Path, tmp_path: Path, dry_run: DryRun, everything: set[Job]
) -> None:
    clone = copy_project(finished, tmp_path / "clone", ".snakemake", "results/smoke/code")
    with edited(clone / PACKAGE / "algorithms/credited_leader.py", "self._round += 1", "self._round += 2"):
        assert dry_run(clone) == everything


def test_a_clone_with_results_and_stamps_redoes_what_a_later_edit_reaches(
    finished: Path, tmp_path: Path, dry_run: DryRun, everything: set[Job]
) -> None:
    clone = copy_project(finished, tmp_path / "clone", ".snakemake")
    with edited(clone / PACKAGE / "algorithms/credited_leader.py", "self._round += 1", "self._round += 2"):
        assert dry_run(clone) == of(everything, {"rw-meta", "central-learners"} | PLAYED | AFTER_GAMES)


def test_a_given_file_reruns_what_rests_on_it_when_its_content_changed_and_only_then(
    finished: Path, project: Project, tmp_path: Path, dry_run: DryRun, warm: Warm
) -> None:
    file = tmp_path / "reports.csv"
    table = synthetic.reports(("NM", "VT"), weeks=12, seed=1, hospitals={"NM": 12, "VT": 5})
    table.to_csv(file, index=False, float_format="%.10g")
    given = before_any_run(tmp_path / "project", finished, warm.variables | {"HHS_FACILITY_CSV": str(file)})
    game = "results/smoke/games/study/main/yardsticks.totals.csv"
    done = warm.run(given.root, given.environment, game, "--no-hooks", "--configfile", *CONFIGS)
    assert done.returncode == 0, done.stderr
    assert '"kind": "file"' in (given / "results/smoke/hospital/provenance.json").read_text()

    os.utime(file)
    assert dry_run(given, game) == set()
    file.write_text(file.read_text().replace("SYNTHETIC HOSPITAL", "HOSPITAL"))
    rerun = {
        Job("reports"),
        Job("panels", "scenario=study"),
        Job("games", "scenario=study, part=main, algorithm=yardsticks"),
    }
    words = (game, "-n", "--configfile", *CONFIGS)
    path = {"PYTHONPATH": given.environment["PYTHONPATH"]}
    for environment in (given.environment, project.environment):  # another content, and no file at all
        refused = warm.run(given.root, environment | path, *words)
        assert refused.returncode == 2
        looked = warm.run(given.root, environment | path, "--list-rules", *words[2:])
        assert looked.returncode == 0, "it makes no results"
        said = refused.stderr.splitlines()[-1]
        assert said.startswith("private-experts: results/smoke: the results here rest on HHS")
    given.environment[REPLACE_VARIABLE] = "1"
    assert dry_run(given, game) == rerun


def test_the_default_profile_is_found(project: Project, dry_run: DryRun, tmp_path: Path) -> None:
    assert (ROOT / "profiles/default/config.yaml").resolve() == ROOT / "workflow/profiles/default/config.yaml"
    # A copy's profile forbids to compare contents, so a touched file counts as changed exactly when it is read.
    copy = copy_project(project.root, tmp_path / "copy")
    os.utime(copy / "results/smoke/hospital/reports.csv")
    assert dry_run(copy) == set()
    profile = copy / "workflow/profiles/default/config.yaml"
    profile.write_text(profile.read_text(encoding="utf-8").replace("2GB", "0"))
    assert dry_run(copy) != set()
