"""What comes after each rule of the study that is run in small."""

import re

from tests.workflow.conftest import Job

CLAIM = {
    "000/tree-nodes": Job("checks_000_tree_nodes"),
    "000/lemma-3": Job("checks_000_lemma_3"),
    "000/proxy-law-hospital": Job("checks_p000_panels"),
    "000/table-2-words": Job("checks_p000_panels"),
    "000/table-2-values": Job("checks_p000_table_2"),
    "000/rw-meta-centring": Job("checks_p000"),
}
AFTER_CLAIMS: set[str | Job] = {"ledger", "verdicts", "report_facts", "notebook", "manifest", "page", "all"}
LAST = {"manifest", "page", "all"}
AFTER_TABLE_2 = {CLAIM["000/table-2-values"]} | AFTER_CLAIMS
PLAYED = {CLAIM["000/table-2-words"]}  # it plays the games itself
COMPARED = {"rw-meta", "rw-ftpl", "tree-ftpl"}  # in the scenarios of sensitivity
OWN: set[str | Job] = {"own_count_games", "own_counts"}  # they play RW-Meta, and take what others played
GAMES = (
    COMPARED
    | {
        "rw-meta-variants",
        "yardsticks",
        "private-leaders",
        "prefix-sums",
        "central-learners",
        "own-counts-local",
    }
    | OWN
)
LEARNED = {
    "rw-meta",
    "rw-meta-variants",
    "central-learners",
    "own-counts-local",
} | OWN  # those that ask for the learners
AFTER_ANY_GAME = {"table_2", "rw_meta_variants", "privacy_models", "explorer"} | AFTER_TABLE_2
AFTER_YARDSTICKS = {"generality"} | AFTER_ANY_GAME
READINGS = {"readings_played", "readings"}  # they play themselves
COLUMNS = {"columns_played", "patient_columns"}  # by the settings that score least
AFTER_GAMES = AFTER_YARDSTICKS | {"figure_2", "sensitivity"} | READINGS | COLUMNS
BATCHED = {"batch_sizes", "hospital_batches"}
BATCHING_FIGURES = {"figure_1", "figure_amplification"}
AFTER_BATCHES = BATCHED | BATCHING_FIGURES | {"manifest", "page", "all"}
PLAYS = {"hospital_batches", "figure_amplification"}
ON_PANELS = {"hospital_batches", "figure_amplification"}
PROTECTED = {"suppression"}  # what a person's privacy is when figures are suppressed
AFTER_PANELS = (
    GAMES | AFTER_GAMES | ON_PANELS | PLAYED | PROTECTED | {"quality", CLAIM["000/proxy-law-hospital"]}
)
TABLES = (
    {"own_counts", "readings", "table_2", "generality", "sensitivity", "rw_meta_variants", "privacy_models"}
    | COLUMNS
    | AFTER_TABLE_2
)
AFTER_REPORTS = {"reports", "panels"} | AFTER_PANELS
AFTER_DRAWN = {"claim_figures"} | AFTER_CLAIMS  # after a claim that a figure shows
EVERYTHING = AFTER_REPORTS | AFTER_BATCHES | {"checks"} | AFTER_DRAWN

PACKAGE = "src/private_experts"


def kind(job: Job) -> str:
    """Return the rule of a job; the player of a game, whose rule all players share."""
    player = re.search(r"algorithm=([a-z-]+)", job.wildcards)
    return player[1] if player else re.sub("^(checks|claim_figures|panels)_.*", r"\1", job.rule)


def of(jobs: set[Job], rules: set[str | Job]) -> set[Job]:
    """Return the jobs of some rules or players, and single ones."""
    return {job for job in jobs if kind(job) in rules or job in rules}
