"""What is redone after a change of the config or of the claims, and nothing else."""

import re
from contextlib import ExitStack
from typing import Any

import pytest

from tests.workflow.conftest import LEDGER, DryRun, Job, Project, edited
from tests.workflow.expected import (
    AFTER_BATCHES,
    AFTER_CLAIMS,
    AFTER_DRAWN,
    AFTER_GAMES,
    AFTER_REPORTS,
    BATCHING_FIGURES,
    CLAIM,
    COMPARED,
    GAMES,
    LAST,
    LEARNED,
    ON_PANELS,
    PROTECTED,
    READINGS,
    TABLES,
    of,
)

# One section of the config, which players ask for as a whole. That windows are passed too is seen in
# test_plan.py.
CONFIG: dict[str, tuple[dict[str, Any], set[str | Job]]] = {
    "seed": ({"seed": 7}, GAMES | AFTER_GAMES | AFTER_BATCHES | {"checks"} | AFTER_DRAWN),
    "repetitions": ({"repetitions": 3}, (GAMES | AFTER_GAMES | ON_PANELS) - READINGS),
    "privacy_levels": (
        {"privacy_levels": [float("inf"), 0.5, 1]},
        GAMES | AFTER_GAMES | ON_PANELS | PROTECTED,
    ),
    "hospital.adjacency": (
        {"hospital": {"adjacency": "removal"}},
        GAMES | AFTER_GAMES | ON_PANELS | PROTECTED,
    ),
    "learners.strengths": (
        {"learners": {"strengths": {"medium": 2}}},
        (LEARNED | AFTER_GAMES) - {"readings_played"},
    ),
    "confidence": ({"confidence": 0.9}, READINGS | TABLES | BATCHING_FIGURES | {"explorer"}),
    "hospital.smallest_beds": ({"hospital": {"smallest_beds": 5}}, AFTER_REPORTS - {"reports"}),
    "hospital.mend_beds": ({"hospital": {"mend_beds": True}}, AFTER_REPORTS - {"reports"}),
    "hospital.carried_weeks": ({"hospital": {"carried_weeks": 5}}, AFTER_REPORTS),
    "hospital.synthetic.seed": ({"hospital": {"synthetic": {"seed": 2}}}, AFTER_REPORTS),
    # Keys that one product alone uses, or none: a scenario that equals the study plays no games of its own.
    "evidence, generality, download and a scenario": (
        {
            "evidence": {"allow_undecided": False},
            "generality": {"smallest_number_of_hospitals": 6},
            "hospital": {"healthdata": {"dataset": "uqq2-txqb"}},
            "sensitivity": {"suppression": {"as-always": {"hospital": {"suppressed_value": 2}}}},
        },
        {"verdicts", "generality", "sensitivity", *LAST},
    ),
}


@pytest.mark.parametrize("key", CONFIG)
def test_exactly_what_uses_it_reruns_after_a_change_of(
    key: str, project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    changes, rules = CONFIG[key]
    assert dry_run(project, config=changes) == of(everything, rules)


LEDGERS: dict[str, tuple[list[str], set[str | Job]]] = {
    "words, costs and what a figure shows": (
        [
            "«a datum lies in at most→no datum lies in more than» $h",
            r"\text{nodes «containing→with» } t",
            "expected: «holds→null»\n  seconds: 7",
            "  seconds: «7→8»",
            "  claims:\n  - 000/«lemma-3→tree-nodes»\n",
        ],
        AFTER_DRAWN,
    ),
    "two claims' grid and check": (
        ["    - «9→8»\n", "check: p000.meta:«centring_is_tighter→rw_meta_law»"],
        {CLAIM["000/tree-nodes"], CLAIM["000/rw-meta-centring"]} | AFTER_CLAIMS,
    ),
    "a claim's cap": (["cap: «1280000→640000»"], {CLAIM["000/lemma-3"]} | AFTER_DRAWN),
}


@pytest.mark.parametrize("change", LEDGERS)
def test_the_ledger_and_no_claim_but_those_it_decides_rerun_after_an_edit_of(
    change: str, project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    changes, rules = LEDGERS[change]
    with ExitStack() as edits:
        for edit in changes:
            edits.enter_context(edited(project / LEDGER, edit))
        assert dry_run(project) == of(everything, rules)


def test_a_new_claim_runs_and_the_ledger(project: Project, dry_run: DryRun, everything: set[Job]) -> None:
    first = "- id: 000/tree-nodes\n"
    text = (project / LEDGER).read_text(encoding="utf-8")
    entry = re.search(rf"^{first}.*?(?=^- id)", text, re.MULTILINE | re.DOTALL)
    assert entry
    new = entry[0].replace("tree-nodes", "tree-nodes-again").replace("seconds: 7", "seconds: 1")
    with edited(project / LEDGER, f"{entry[0]}«→{new}»"):
        assert dry_run(project) == {Job("checks_p000")} | of(everything, AFTER_CLAIMS)


def _of_scenario(name: str) -> set[Job]:
    """Return the jobs of one scenario with its own cleaning, and what comes after."""
    games = {Job("games", f"scenario={name}, part=main, algorithm={player}") for player in COMPARED}
    after = {Job("sensitivity"), *map(Job, LAST)}
    return {Job("panels_of_scenario", f"scenario={name}")} | games | after


def test_a_changed_scenario_and_a_new_one_run_themselves_and_their_table(
    project: Project, dry_run: DryRun
) -> None:
    values = {"suppressed-as-0": 1, "suppressed-as-4": 4}
    scenarios = {name: {"hospital": {"suppressed_value": value}} for name, value in values.items()}
    wanted = set().union(*(_of_scenario(name) for name in scenarios))
    assert dry_run(project, config={"sensitivity": {"suppression": scenarios}}) == wanted
