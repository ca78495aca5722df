"""What may be wrong in reports, or right: they are read as they are, and it is told.

A rule looks at reports in order: a row for each `hospital` and week, with `patients`, `beds`, and `round`,
the number of the week among those of its state. docs/data.md#doubts has what the pinned file has.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from private_experts.replication.study.data.doubts import FEW, above
from private_experts.replication.study.data.hospital_reports import NAMES, SUPPRESSED

# As many of a state's hospitals do not end with a week; in the pinned file 2.4 % do.
MANY, FEWEST = 0.25, 3
# Two ids of one hospital report in so many weeks together at most, and its bed count goes on, or is that of
# both. Two hospitals of a state have the same figures above 0 in so many weeks at most (pinned: 3).
TOGETHER, ALIKE, SAME_WEEKS = 4, 0.15, 4
# Two bed counts that become each other, medians of some reports, are that many times apart, and miss by at
# most this part of the way, in logarithms.
APART, MISSED, REPORTS = 1.5, 1 / 8, 4
# An average of seven days does not stay the same for so many reports (pinned: 6), nor are there none in so
# many, where half of the others have ten patients.
LONG, USUAL = 8, 10
JUMP = 2
# From week to week no wave makes the patients of most hospitals so many times as many, or as few (pinned:
# 0.26 to 3.0), which a change of unit does, by 7 or 10. Few repeat the figure before (0.7 %), nor are many
# unknown.
WAVE, WAVE_OF, REPEATED, UNKNOWN = 5, 5, 0.05, 1 / 3
# Nor do so many go from `USUAL` or more to none or suppressed ones (pinned: 0.42), or from any to none (0.8).
FELL, FELL_TO_NONE = 0.5, 0.9
# Of so many hospitals or more, not most have the patients of another week (pinned: 14 %). So many weeks
# before, and after, one has not twice as many reports with known patients (pinned: 1.08 times).
COPIED, COPIED_OF, AROUND, THIN = 0.5, 5, 5, 0.5
# A state has that many times as many, or as few, patients per bed as the median state, if of so many figures
# (pinned: 0.41 to 1.64).
SHARE_APART, SHARE_FIGURES = 3, 100


def _hospitals(table: pd.DataFrame) -> pd.DataFrame:
    """Return each hospital's state, first and last week, and the rounds of both."""
    by_hospital = table.groupby("hospital")
    spans = by_hospital.agg(
        state=("state", "first"),
        first=("collection_week", "first"),
        last=("collection_week", "last"),
        begins=("round", "first"),
        ends=("round", "last"),
    )
    return spans.reset_index()


def _pairs(table: pd.DataFrame, *same: str) -> pd.DataFrame:
    """Return each two rows of two hospitals that have the `same` cells, once."""
    shared = table[table.duplicated([*same], keep=False)]
    both = shared.merge(shared, on=[*same], suffixes=("", "_other"))
    return both[both["hospital"] < both["hospital_other"]]


def _one_name(table: pd.DataFrame) -> list[str]:
    # By name, not by id: an id may be given to another hospital, or two may be exchanged.
    # "string", as a column that is empty is read as numbers
    words = table.reindex(columns=[*NAMES]).astype("string").fillna({"city": table["state"]})
    alike = {name: words[name].str.casefold().str.split().str.join(" ") for name in NAMES}
    named = table.assign(**alike).dropna(subset=[*NAMES])
    several = named.groupby([*NAMES])["hospital"].transform("nunique") > 1
    named = named[several]
    both = _pairs(named, *NAMES, "collection_week")
    both["near"] = (both["beds_other"] - both["beds"]).abs() <= ALIKE * both["beds"]
    together = both.groupby(["hospital", "hospital_other"])["near"].agg(["size", "mean"])
    spells = named.groupby([*NAMES, "hospital"]).agg(
        state=("state", "first"),
        first=("collection_week", "first"),
        last=("collection_week", "last"),
        weeks=("round", "size"),
    )
    pairs = _pairs(spells.reset_index(), *NAMES)
    pairs = pairs.join(together, on=["hospital", "hospital_other"]).fillna({"size": 0, "mean": 0})
    common = pairs["size"]
    in_turn = (common <= TOGETHER) & (2 * common < pairs[["weeks", "weeks_other"]].min(axis=1))
    sooner, ends = (pairs[key] < pairs[f"{key}_other"] for key in ("first", "last"))
    later, stays = (pairs[key] > pairs[f"{key}_other"] for key in ("first", "last"))
    follow = (pairs["state"] == pairs["state_other"]) & (sooner & ends | later & stays)
    pairs = pairs[in_turn | follow | (pairs["mean"] >= 1 / 2)]
    found = []
    for row in pairs.itertuples():
        one = (row.first, row.last, f"{row.hospital}")
        other = (row.first_other, row.last_other, f"{row.hospital_other}")
        found.append(
            ", ".join(f"{name} from {first} to {last}" for first, last, name in sorted([one, other]))
        )
    return found


def _one_bed_count(table: pd.DataFrame) -> list[str]:
    counts = table[table["beds"] > 0].groupby("hospital")["beds"].agg(["first", "last"]).add_prefix("beds_")
    known = _hospitals(table).merge(counts, on="hospital")
    soon = pd.concat([known.assign(next=known["ends"] + gap) for gap in range(1, TOGETHER + 1)])
    both = soon.merge(known, left_on=["state", "next"], right_on=["state", "begins"], suffixes=("", "_other"))
    apart = (both["beds_first_other"] - both["beds_last"]).abs()
    return [
        f"{row.hospital} to {row.last}, {row.hospital_other} from {row.first_other}"
        for row in both[apart <= ALIKE * both["beds_last"]].itertuples()
    ]


def _many_end(table: pd.DataFrame) -> list[str]:
    spans = _hospitals(table)
    weeks = table.groupby(["state", "round"]).agg(week=("collection_week", "first"), all=("week", "size"))
    ended, began = (
        spans.groupby(["state", key]).size().reindex(weeks.index, fill_value=0) for key in ("ends", "begins")
    )
    # Where the file ends, nobody begins later.
    weeks = weeks.assign(ended=ended, begin=began.groupby("state").shift(-1)).dropna()
    many = (weeks["ended"] >= MANY * weeks["all"]) & (weeks["ended"] >= FEWEST)
    return [
        f"{row.ended} of {row.all} in {row.state} after {row.week}, and {row.begin:.0f} begin"
        for row in weeks[many].reset_index().itertuples()
    ]


def _same_figures(table: pd.DataFrame) -> list[str]:
    told = table[(table["patients"] > 0) & (table["beds"] > 0)]
    pairs = _pairs(told, "state", "collection_week", "patients", "beds")
    weeks = pairs.groupby(["state", "hospital", "hospital_other"]).size()
    weeks = weeks.sort_values(ascending=False, kind="stable")
    return [
        f"{row.hospital} and {row.hospital_other} in {row.weeks} weeks"
        for row in weeks[weeks > SAME_WEEKS].reset_index(name="weeks").itertuples()
    ]


def _exchanged(table: pd.DataFrame) -> list[str]:
    counted = table[table["beds"] > 0]

    def usual(ordered: pd.DataFrame) -> pd.Series:
        rolled = ordered.groupby("hospital")["beds"].rolling(REPORTS, min_periods=1).median()
        return rolled.droplevel(0)

    before = usual(counted).groupby(counted["hospital"]).shift()
    counted = counted.assign(before=before, after=usual(counted[::-1]))
    was = counted.groupby("hospital")["beds"].shift()
    pairs = _pairs(counted[_times(counted["beds"], was) >= APART], "state", "collection_week")
    way = np.log(_times(pairs["before"], pairs["before_other"]))
    mine = np.log(_times(pairs["after"], pairs["before_other"]))
    theirs = np.log(_times(pairs["after_other"], pairs["before"]))
    missed = mine.where(mine > theirs, theirs)
    kept = (way >= math.log(APART)) & (missed <= MISSED * way)
    return [
        f"{row.hospital} and {row.hospital_other} in {row.collection_week} "
        f"({row.before:g} and {row.after:g} beds)"
        for row in pairs[kept].itertuples()
    ]


def _times(one: pd.Series, other: pd.Series) -> pd.Series:
    """Return how many times one is the other, or the other one."""
    return (one / other).where(one > other, other / one)


def _spells(table: pd.DataFrame, goes_on: pd.Series) -> pd.DataFrame:
    """Return spells of `LONG` reports or more of one hospital, each but the first of which `goes_on`."""
    spell = (~goes_on | (table["hospital"] != table["hospital"].shift())).cumsum()
    weeks = table.groupby(spell)["collection_week"].transform("size")
    spells = table.assign(weeks=weeks)[weeks >= LONG].groupby(spell)
    found = spells.agg(
        hospital=("hospital", "first"),
        patients=("patients", "first"),
        beds=("beds", "first"),
        first=("collection_week", "first"),
        last=("collection_week", "last"),
        weeks=("weeks", "first"),
    )
    return found.sort_values("weeks", ascending=False, kind="stable")


def _stuck(table: pd.DataFrame) -> list[str]:
    told = table[(table["patients"] > 0) & (table["beds"] > 0)]
    return [
        f"{row.hospital} from {row.first} to {row.last} ({row.patients:g} of {row.beds:g} beds)"
        for row in _spells(told, told["patients"] == told["patients"].shift()).itertuples()
    ]


def _none(table: pd.DataFrame) -> list[str]:
    known = table[_known_patients(table)]
    zero = known["patients"] == 0
    usual = known["patients"].mask(zero).groupby(known["hospital"]).transform("median")
    known, zero = known[usual >= USUAL], zero[usual >= USUAL]
    spells = _spells(known, zero & zero.shift(fill_value=False))
    return [
        f"{row.hospital} from {row.first} to {row.last}"
        for row in spells[spells["patients"] == 0].itertuples()
    ]


def _jumps(moves: pd.DataFrame, column: str, least: int) -> list[str]:
    jumps = moves[_times(moves[column], moves["was"]) >= least]
    hospitals = jumps.groupby("hospital", sort=False)
    first = hospitals.first().assign(jumps=hospitals.size()).reset_index()
    return [
        f"{row.hospital} {row.jumps} times, {row.was:g} to {getattr(row, column):g} in {row.collection_week}"
        for row in first.sort_values("jumps", ascending=False, kind="stable").itertuples()
    ]


def _moves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the figures above 0 of each hospital but the first, with `was`, the one before."""
    positive = table[table[column] > 0]
    return positive.assign(was=positive.groupby("hospital")[column].shift()).dropna(subset="was")


def _full(table: pd.DataFrame) -> list[str]:
    counted = table[table["beds"] > 0]
    full = counted[above(counted["patients"].to_numpy(), counted["beds"].to_numpy())]
    hospitals = full.groupby("hospital", sort=False)
    first = hospitals.first().assign(weeks=hospitals.size()).reset_index()
    return [
        f"{row.hospital} in {row.weeks}, {row.patients:g} of {row.beds:g} beds in {row.collection_week}"
        for row in first[first["weeks"] > FEW]
        .sort_values("weeks", ascending=False, kind="stable")
        .itertuples()
    ]


def _copied(table: pd.DataFrame) -> list[str]:
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for state, reports in table[table["patients"] > 0].groupby("state"):
        by_week = reports.pivot(index="collection_week", columns="hospital", values="patients")
        weeks, cells = by_week.index, by_week.to_numpy()
        for gap in range(1, len(weeks)):
            same = (cells[gap:] == cells[:-gap]).sum(axis=1)
            both = np.isfinite(cells[gap:] - cells[:-gap]).sum(axis=1)
            for week in np.flatnonzero((same >= COPIED_OF) & (same > COPIED * both)).tolist():
                says = f"{state} in {weeks[week]} and {weeks[week + gap]} ({same[week]} of {both[week]})"
                found.setdefault((f"{state}", weeks[week + gap]), (same[week], says))
    return [says for _, says in sorted(found.values(), key=lambda case: -case[0])]


def _thin(table: pd.DataFrame) -> list[str]:
    by_week = table.assign(known=_known_patients(table)).groupby(["state", "round"])
    weeks = by_week.agg(week=("collection_week", "first"), known=("known", "sum"))

    def most(ordered: pd.DataFrame) -> pd.Series:
        """Return the most of the weeks before, in this order."""
        before = ordered.groupby("state")["known"].shift()
        rolled = before.groupby("state").rolling(AROUND, min_periods=1).max()
        return rolled.droplevel(0)

    usual = np.fmin(most(weeks), most(weeks[::-1]))  # at the ends of one side alone
    missing = usual - weeks["known"]
    few = weeks.assign(usual=usual)[(weeks["known"] < THIN * usual) & (missing >= FEWEST)]
    return [
        f"{row.state} in {row.week} ({row.known}, {row.usual:.0f} around)"
        for row in few.reset_index().sort_values("usual", ascending=False, kind="stable").itertuples()
    ]


def _moved_together(table: pd.DataFrame) -> list[str]:
    moves = _moves(table, "patients")
    moves = moves.assign(times=moves["patients"] / moves["was"])
    by_week = moves.groupby(["state", "collection_week"])["times"]
    times = by_week.median()[by_week.size() >= WAVE_OF]
    return [
        f"{row.state} in {row.collection_week} ({row.times:.2g} times)"
        for row in times[(times >= WAVE) | (times <= 1 / WAVE)].reset_index().itertuples()
    ]


def _repeated(table: pd.DataFrame) -> list[str]:
    moves = _moves(table, "patients")
    by_state = (moves["patients"] == moves["was"]).groupby(moves["state"])
    shares = by_state.mean()[by_state.size() >= SHARE_FIGURES].sort_values(ascending=False, kind="stable")
    return [f"{share:.0%} in {state}" for state, share in shares.items() if share > REPEATED]


def _often_unknown(table: pd.DataFrame) -> list[str]:
    spans = _hospitals(table).set_index("hospital")
    known = table[_known_patients(table)].groupby("hospital").size()
    shares = (1 - known / (spans["ends"] - spans["begins"] + 1)).dropna().sort_values(ascending=False)
    return [f"{hospital} in {share:.0%}" for hospital, share in shares.items() if share > UNKNOWN]


def _known_patients(table: pd.DataFrame) -> pd.Series:
    """Return which figures are known; a negative one is none, but the mark of a suppressed one is."""
    return (table["patients"] >= 0) | (table["patients"] == SUPPRESSED)


def _fell_together(table: pd.DataFrame) -> list[str]:
    known = table[_known_patients(table)]
    known = known.assign(was=known.groupby("hospital")["patients"].shift()).dropna(subset="was")
    now, was = known["patients"], known["was"]  # suppressed ones are negative
    found: dict[str, None] = {}
    for had, fell, most in ((was >= USUAL, now <= 0, FELL), (was != 0, now == 0, FELL_TO_NONE)):
        by_week = fell[had].groupby([known["state"], known["collection_week"]])
        shares = by_week.mean()[by_week.size() >= WAVE_OF]
        for row in shares[shares >= most].reset_index(name="share").itertuples():
            found.setdefault(f"{row.state} in {row.collection_week} ({row.share:.0%})")
    return [*found]


def _late(table: pd.DataFrame, known: pd.Series, limit: int) -> list[str]:
    """Return hospitals that report for longer than the `limit` before a figure is known."""
    begins = _hospitals(table).set_index("hospital")["begins"]
    first = table[known].groupby("hospital").first()
    first = first.assign(weeks=first["round"] - begins)
    return [
        f"{row.Index} for {row.weeks:.0f} weeks before {row.collection_week}"
        for row in first[first["weeks"] > limit]
        .sort_values("weeks", ascending=False, kind="stable")
        .itertuples()
    ]


def _carried(table: pd.DataFrame, column: str, known: pd.Series, limit: int) -> list[str]:
    """Return what is carried for longer than the `limit`, first what weighs most."""
    last = table.groupby("hospital")["round"].transform("last")
    reports = table.assign(last=last)[known]
    following = reports.groupby("hospital")["round"].shift(-1).fillna(reports["last"] + 1)
    reports = reports.assign(weeks=(following - reports["round"] - 1).astype(int))
    late = reports[reports["weeks"] > limit]
    order = (late[column] * late["weeks"]).sort_values(ascending=False, kind="stable").index
    return [
        f"{row.hospital} for {row.weeks} weeks after {row.collection_week}"
        for row in late.loc[order].itertuples()
    ]


def _other_shares(table: pd.DataFrame) -> list[str]:
    told = table[(table["patients"] >= 0) & (table["beds"] > 0)]
    by_state = told.groupby("state")[["patients", "beds"]]
    sums = by_state.sum()[by_state.size() >= SHARE_FIGURES]
    shares = sums["patients"] / sums["beds"]
    if len(shares) < 3 or not (usual := float(shares.median())):
        return []
    return [
        f"{state} has {share:.2g}, the median state {usual:.2g}"
        for state, share in shares.items()
        if not 1 / SHARE_APART <= share / usual <= SHARE_APART
    ]


RULES: Mapping[str, Callable[[pd.DataFrame], list[str]]] = {
    "one name under two ids": _one_name,
    "one bed count under two ids": _one_bed_count,
    "many hospitals end with a week": _many_end,
    "two hospitals exchange their bed counts": _exchanged,
    "two hospitals have the same figures": _same_figures,
    "weeks of a state in which most hospitals have the patients of another week": _copied,
    "weeks in which less than half as many hospitals have patients as in those around": _thin,
    f"the same patients in {LONG} reports or more": _stuck,
    f"no patients in {LONG} reports or more, and often {USUAL} in others": _none,
    f"as many patients as beds, or more, in more than {FEW} reports": _full,
    f"bed counts {JUMP} times, or 1/{JUMP}, those before": lambda table: _jumps(
        _moves(table, "beds"), "beds", JUMP
    ),
    f"patients {WAVE} times, or 1/{WAVE}, those before": lambda table: _jumps(
        _moves(table, "patients"), "patients", WAVE
    ),
    f"half of the hospitals with patients {WAVE} times, or 1/{WAVE}, those before": _moved_together,
    "most of the hospitals with patients before have none, or suppressed ones": _fell_together,
    f"more than {REPEATED:.0%} of patients are those before": _repeated,
    f"patients unknown in more than {UNKNOWN:.0%} of the weeks": _often_unknown,
    f"{SHARE_APART} times, or 1/{SHARE_APART}, the usual patients per bed": _other_shares,
}


@np.errstate(all="ignore")  # figures without bound, which are refused after cleaning
def remarks(reports: pd.DataFrame, patients: str, beds: str, carried_weeks: int) -> dict[str, list[str]]:
    """Return by rule what it finds; `patients` and `beds` are the columns that are played."""
    table = reports.assign(
        hospital=reports["state"] + " " + reports["hospital_pk"],
        patients=reports[patients],
        beds=reports[beds],
        week=reports["collection_week"].astype("category").cat.codes,
    )
    table = table.drop_duplicates(["hospital", "week"]).sort_values(["hospital", "week"], ignore_index=True)
    table["round"] = table.groupby("state")["week"].rank("dense").astype(int)
    found = {what: rule(table) for what, rule in RULES.items()}
    for column, known in (("patients", _known_patients(table)), ("beds", table["beds"] > 0)):
        what = f"{column} carried forward for more than {carried_weeks} weeks (hospital.carried_weeks)"
        found[what] = _carried(table, column, known, carried_weeks)
        what = f"{column} unknown for more than the first {carried_weeks} weeks (hospital.carried_weeks)"
        found[what] = _late(table, known, carried_weeks)
    return {what: cases for what, cases in found.items() if cases}
