"""The columns of the tables that stages hand to each other; a reader refuses a table that lacks one."""

# Games: every repetition, and the mean by week.
TOTALS = ("state", "algorithm", "mu", "repetition", "total", "switches")
CURVES = ("state", "algorithm", "mu", "week", "gain", "spread")

# The noise of a local player's reports, summed over copies: a row for each hospital and each week.
REPORT_NOISE = ("state", "algorithm", "mu", "side", "number", "copies", "variance", "squares", "products")

# Panels: of the counts of repairs what is named elsewhere, and what suppression does.
QUALITY = (
    *(
        "state",
        "rows",
        "weeks",
        "first_week",
        "last_week",
        "hospitals",
        "smallest_beds_least",
        "smallest_beds_most",
    ),
    *("bed_faults_most", "bed_faults_week"),
)
EXPOSURE = (
    *("state", "cells", "suppressed", "at_the_edge", "carried", "reach"),
    *("growth_move", "growth_removal", "growth_own_move", "growth_own_removal", "at_the_filter"),
)

# Readings of the paper: gains by week, and answers to statements.
COLUMN_WEEKLY = ("family", "mu", "algorithm", "week", "even", "odd")
WEEKLY = ("state", "period", *COLUMN_WEEKLY)
ANSWERS = ("family", "strengths", "floor", "state", "mu")
READINGS = ("what", "floor", "family", "strengths")

# Batching: laws of batch sizes, games on streams, and games on the hospitals.
COMPUTED = ("law", "n", "mu", "round", "size", "weight")
SIMULATED = ("law", "n", "mu", "round", "gap", "repetition", "size", "control")
BATCHED_WEEKS = ("state", "mu", "rho", "week", "size", "inverse", "inverse_root", "single")
BATCHED_TOTALS = ("state", "mu", "rho", "repetition", "total", "rw_ftpl")

# Claims: what every row of evidence has, beside the parameters of its grid.
EVIDENCE = ("value", "low", "high", "sense", "bound", "margin_low", "margin_high", "verdict")
IDLE = ("reason",)  # all that there is when a claim was not run
