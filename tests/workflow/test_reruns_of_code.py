"""What is redone after an edit of code: what depends on it, and nothing else.

Edits are followed in two steps. Which stamps they change is worked out here, for each edit alone, and from
the plan of the study follow the jobs that read those stamps and what comes after them. That Snakemake takes
these very jobs is seen in dry runs, for edits of each kind of input. All else is asked of Snakemake alone.
"""

import os
from contextlib import ExitStack

import pytest

from tests.workflow.conftest import DryRun, Job, Plan, Project, after, edited, restamped
from tests.workflow.expected import (
    AFTER_ANY_GAME,
    AFTER_CLAIMS,
    AFTER_DRAWN,
    AFTER_GAMES,
    AFTER_TABLE_2,
    AFTER_YARDSTICKS,
    BATCHING_FIGURES,
    CLAIM,
    COLUMNS,
    EVERYTHING,
    GAMES,
    LAST,
    LEARNED,
    ON_PANELS,
    OWN,
    PACKAGE,
    PLAYED,
    PLAYS,
    PROTECTED,
    TABLES,
    of,
)

HARMLESS = {
    "a comment": ("algorithms/credited_leader.py", "        «→# the next week\n        »self._round += 1"),
    "a module's docstring": ("algorithms/rw_meta.py", '"""RW-Meta«→ chooses»: choose'),
    "a method's docstring": (
        "algorithms/credited_leader.py",
        '«"""Return the action→"""Tell the action» of the',
    ),
    "layout": ("algorithms/decorrelation.py", "_LIFT = «1e-9→(\n    1e-9\n)»"),
    "a function that nothing uses": (
        "algorithms/decorrelation.py",
        "_LIFT = 1e-9«→\n\n\ndef f():\n    return 1\n»",
    ),
    "an unused class": ("algorithms/bernoulli_resampled.py", "(self.repetitions, self.n)) <«→=» gains"),
    "the command line": ("replication/stage_cli.py", '.get(kind, «"NUMBER"→"N"»)'),
}


@pytest.mark.parametrize("change", HARMLESS)
def test_no_stamp_changes_after_an_edit_of(change: str, project: Project) -> None:
    file, edit = HARMLESS[change]
    with edited(project / PACKAGE / file, edit):
        assert restamped(project) == set()


def test_nothing_reruns_after_new_dates_all_harmless_edits_and_an_unrelated_new_module(
    project: Project, dry_run: DryRun
) -> None:
    places = ("src", "config", "claims", "workflow", "results/smoke/hospital", "results/smoke/code")
    files = [path for place in places for path in (project / place).rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"rw_meta.py", "study.yaml", "hospital.smk", "reports.csv"} <= names
    assert "replication.study.hospital_stages.games.txt" in names
    lock, module = project / "requirements.lock", project / PACKAGE / "algorithms/unrelated.py"
    for path in (*files, project / "Snakefile", lock):
        os.utime(path)
    module.write_text("def leader(totals):\n    return totals.argmax()\n")
    try:
        with ExitStack() as edits:
            first = lock.read_text().partition("\n")[0]
            edits.enter_context(edited(lock, f"«→# by hand\n»{first}\n"))
            for change in HARMLESS.keys() - {"layout"}:  # which edits the line of another
                file, edit = HARMLESS[change]
                edits.enter_context(edited(project / PACKAGE / file, edit))
            assert dry_run(project) == set()
    finally:
        module.unlink()


CENTRING = {CLAIM["000/rw-meta-centring"]}
RW_META = LEARNED | PLAYED | AFTER_GAMES
DRAWN = {"claim_figures", "notebook", *LAST}
COLOURED = {"figure_2", "generality", "privacy_models", "readings", "own_counts", "explorer", "table_2"}
COLOURED |= BATCHING_FIGURES | DRAWN | {"rw_meta_variants"} | PLAYED | COLUMNS | AFTER_TABLE_2  # but no game

REAL = {
    "RWMeta": ("algorithms/credited_leader.py", "self._round += «1→2»", RW_META),
    "Decorrelation": (
        "algorithms/decorrelation.py",
        "«self.floor→3.0» * np.asarray(t)",
        RW_META - {"central-learners"} | CENTRING,  # which choose without it
    ),
    "a yardstick": (
        "algorithms/baselines.py",
        "self._total = self._total «+→-» gains",
        {"yardsticks"} | AFTER_YARDSTICKS,
    ),
    "a curator's algorithm": (
        "algorithms/dyadic_leader.py",
        "self._played += «1→2»",
        {"private-leaders"} | PLAYED | AFTER_ANY_GAME,
    ),
    "what central games share": (
        "replication/study/hospital_game.py",
        "play(make(at_level(game, mu), mu), «→2 * »game.gains)",
        {"tree-ftpl", "yardsticks", "prefix-sums"} | OWN | PLAYED | AFTER_GAMES,
    ),
    "what local games share": (
        "replication/study/players/rw_ftpl.py",
        "noise_scale=«→2 * »first,",
        {"rw-ftpl"} | RW_META | ON_PANELS,
    ),
    "what all games share": (
        "games/regret.py",
        "return «→2 * »array[rounds, actions]",
        GAMES | PLAYS | PLAYED | AFTER_GAMES,
    ),
    "how tables are written": (
        "replication/plotting/tables.py",
        'r"\\«centering→raggedright»",',
        TABLES | BATCHING_FIGURES | PROTECTED | {"quality"},
    ),
    "how figures are saved": (
        "replication/plotting/figures.py",
        "else «200→150», metadata",
        {"figure_2", "generality", "privacy_models", "readings", "own_counts"}
        | COLUMNS
        | DRAWN
        | BATCHING_FIGURES,
    ),
    "a check": (
        "replication/papers/p000/meta.py",
        "ball(star_low, star_high) + «1e-9→2e-9»",
        CENTRING | AFTER_CLAIMS,
    ),
    "a check that no claim of this ledger asks": (
        "replication/papers/p000/meta.py",
        'expected in (("orthogonal", «1.0→2.0»),',
        {"page", "all"},  # the page shows the code of the checks
    ),
    "what two checks share": (
        "replication/balls/boxes.py",
        "dict(notes or {}), trivial, certified=«True→False», lazy=lazy",
        CENTRING | AFTER_CLAIMS,
    ),
    "the algorithm of the plays": ("algorithms/rw_adabatch.py", "self._remaining -= «1→2»", PLAYS | LAST),
    "how points decide": (
        "replication/ledger/evidence.py",
        "if any(high <«→=» 0 for",
        {"checks"} | AFTER_DRAWN,
    ),
    "a colour": ("replication/plotting/palette.py", '"#D55E0«0→1»"', COLOURED),
    "how words become values": ("replication/stage_cli.py", "return json.loads(text«→ or text»)", EVERYTHING),
    "a drawing": ("replication/papers/p000/figures_000.py", "axis.axvline(«1→2»,", DRAWN),
    "what the notebook alone calls": (
        "replication/report/notebook_reader.py",
        "_SHOWN = «100→90»",
        {"notebook", *LAST},
    ),
    "the page's numbers": ("replication/plotting/numbers.py", "seconds < «9.95→99.5»", LAST),
    "the page's style": (
        "replication/report/page/assets/style.css",
        "max-width: «75ch→70ch»",
        {"page", "all"},
    ),
    "the explorer's script": (
        "replication/report/explorer/assets/explorer.js",
        "fill_alpha: «0.18→0.2»",
        {"explorer", *LAST},
    ),
    "the manifest": (
        "replication/report/machine.py",
        '«"cores": usable_cores(),→»',
        {"manifest", "page", "all"},
    ),
}


@pytest.mark.parametrize("change", REAL)
def test_exactly_what_calls_it_reruns_after_an_edit_of(change: str, project: Project, plan: Plan) -> None:
    file, edit, rules = REAL[change]
    with edited(project / PACKAGE / file, edit):
        assert after(plan, restamped(project) | {f"{PACKAGE}/{file}"}) == of({*plan}, rules)


# A player's code alone, two claims', a drawing's, and a file that is no Python; what games share is edited
# below.
TRULY = ["a curator's algorithm", "what two checks share", "a drawing", "the page's style"]


def test_snakemake_redoes_what_follows_from_the_plan_after_edits_and_nothing_after_they_are_taken_back(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    with ExitStack() as edits:
        for file, edit, _ in map(REAL.__getitem__, TRULY):
            edits.enter_context(edited(project / PACKAGE / file, edit))
        assert dry_run(project) == of(everything, set().union(*(REAL[change][-1] for change in TRULY)))
    assert dry_run(project) == set()


def test_only_the_notebook_reruns_after_an_edit_of_its_source(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    with edited(project / "paper/replication.py", "SEED = «2026→2027»"):
        assert dry_run(project) == of(everything, {"notebook", *LAST})
