"""The workflow's stages: each reads files, calls pure functions, and writes files. I/O lives here and nowhere else.

A rule of the DAG, its CLI subcommand and its function here share one name. A stage's function is also the entry of
its code fingerprint, so heavy modules are imported inside the stages that need them.
"""

from private_experts.stages.batching import (
    batch_sizes,
    batched_games,
    figure_1,
    figure_amplification,
    figure_batch_sizes,
    figure_batching_costs,
    hospital_batches,
)
from private_experts.stages.checks import claim, claim_figure, ledger, verdicts
from private_experts.stages.data import panels, quality, reports
from private_experts.stages.desk import claims, verify
from private_experts.stages.games import private_leaders, rw_ftpl, rw_meta, tree_ftpl, yardsticks
from private_experts.stages.notebook import notebook
from private_experts.stages.page import page
from private_experts.stages.paper import (
    figure_2,
    generality,
    manifest,
    privacy_models,
    rw_meta_variants,
    sensitivity,
    summary,
    table_2,
)
from private_experts.stages.typeset import claims_tex

__all__ = [
    "batch_sizes",
    "batched_games",
    "claim",
    "claim_figure",
    "claims",
    "claims_tex",
    "figure_1",
    "figure_2",
    "figure_amplification",
    "figure_batch_sizes",
    "figure_batching_costs",
    "generality",
    "hospital_batches",
    "ledger",
    "manifest",
    "notebook",
    "page",
    "panels",
    "privacy_models",
    "private_leaders",
    "quality",
    "reports",
    "rw_ftpl",
    "rw_meta",
    "rw_meta_variants",
    "sensitivity",
    "summary",
    "table_2",
    "tree_ftpl",
    "verdicts",
    "verify",
    "yardsticks",
]
