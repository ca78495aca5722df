"""RW-Meta's ratio to the best linear model from level to level: here, as printed, and by column of patients.

And of all printed ratios in how many cells they are not reached.

Page, report and documents say the same of it, from the rows of two tables.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from private_experts.replication.plotting.numbers import level
from private_experts.replication.study import published

RATIO = "ratio_to_best_linear"
RIVALS = {
    "ratio_to_min_noise": "Min Noise",
    "ratio_to_min_regret": "Min Regret",
    RATIO: "the best linear model",
}
RIVAL, RIVAL_PM = "ratio_to_min_noise", "ratio_to_min_noise_pm"
Rows = Sequence[Mapping[str, str]]


def at_level(mu: float) -> str:
    """Return the words for a level."""
    return f"at μ = {level(mu)}"


def _means(table_2: Rows) -> list[tuple[float, float, float]]:
    """Return the first and last level of Table 2 with the mean ratios, here and as printed; or nothing."""
    here: dict[float, list[float]] = {}
    printed: dict[float, list[float]] = {}
    for row in table_2:
        mu = float(row["mu"])
        if RATIO in (values := published.printed(row["state"], mu)):
            here.setdefault(mu, []).append(float(row[RATIO]))
            printed.setdefault(mu, []).append(values[RATIO])
    means = [(mu, fmean(here[mu]), fmean(printed[mu])) for mu in here]
    return [means[0], means[-1]] if means[1:] else []


def ends(table_2: Rows, words: Callable[[float], str] = at_level) -> str:
    """Return the mean ratio at the first and the last level of Table 2, here and as printed; or nothing."""
    means = _means(table_2)
    ours = " and ".join(f"{here:.2f} {words(mu)}" for mu, here, _ in means)
    theirs = " and ".join(f"{printed:.2f}" for _, _, printed in means)
    return f"{ours}, where the printed totals give {theirs}" if means else ""


def below_print(table_2: Rows) -> str:
    """Return in how many cells each printed ratio of Table 2 is larger than the one here; or nothing."""
    counts = []
    for name, rival in RIVALS.items():
        pairs = [
            (float(row[name]), values[name])
            for row in table_2
            if row.get(name) and name in (values := published.printed(row["state"], float(row["mu"])))
        ]
        if pairs:
            counts.append(f"{sum(here < printed for here, printed in pairs)} of {len(pairs)} (over {rival})")
    return ", ".join(counts)


def by_column(columns: Rows) -> str:
    """Return New York's ratios from level to level, with either column of patients, and where it trails."""
    ratios, behind = [], []
    for patients in dict.fromkeys(row["patients"] for row in columns):
        mine = [row for row in columns if row["patients"] == patients]
        ratios.append(f"{', '.join(f'{float(row[RATIO]):.2f}' for row in mine)} with {patients} patients")
        trails = [level(float(row["mu"])) for row in mine if float(row[RIVAL]) + float(row[RIVAL_PM]) < 1]
        behind.append(f"at μ = {' and '.join(trails)}" if trails else "at no level")
    levels = ", ".join(dict.fromkeys(level(float(row["mu"])) for row in columns))
    weeks = max((int(row["weeks"]) for row in columns), default=0)
    return (
        f"{' and '.join(ratios)} (μ = {levels}; {weeks} weeks); there Min Noise gains more than RW-Meta "
        f"{', and '.join(behind)}{', respectively' * (len(behind) > 1)}"
    )


def sentence(table_2: Rows, columns: Rows) -> str:
    """Say if the printed slope is not met, and what else moves the ratio: learners, and whom it counts."""
    if not (means := _means(table_2)):
        return ""
    (_, first, printed_first), (_, last, printed_last) = means
    wrong = "the slope is wrong: " * ((last - first) * (printed_last - printed_first) < 0)
    return (
        f"With the study's learners {wrong}the ratio of the planner's gain to that of the best linear "
        f"forecast is {ends(table_2)}. Other learners have another slope (figure readings). How much of it "
        "is due to the column of patients is open: in New York, whose file has both, the ratio is "
        f"{by_column(columns)}."
    )
