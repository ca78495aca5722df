"""What may be wrong in reports, or right: they are read as they are, and it is told.

A rule looks at reports in order: a row for each `hospital` and week, with `patients`, `beds`, and `round`,
the number of the week among those of its state. docs/data.md#doubts has what the pinned file has.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from private_experts.replication.study.data.doubts import FEW, above
from private_experts.replication.study.data.hospital_reports import NAMES, SUPPRESSED

# As many of a state's hospitals do not end with a week, nor begin; in the pinned file 8.9 % and 14.5 % do.
MANY, FEWEST = 1 / 6, 3
# Two ids of one hospital report in so many weeks together at most, and its bed count goes on, or is that of
# both. Two hospitals of a state have the same figures above 0 in so many weeks at most (pinned: 3).
TOGETHER, ALIKE, SAME_WEEKS = 4, 0.15, 4
# Two bed counts that become each other, medians of some reports, are that many times apart, and miss by at
# most this part of the way, in logarithms.
APART, MISSED, REPORTS = 1.5, 1 / 8, 4
HOME = 0.9  # of the ids that begin with two such characters are of one state
# An average of seven days does not stay the same for so many reports (pinned: 6), nor are there none in so
# many, where half of the others have ten patients. Two hospitals have fewer same patients, or same bed counts
# that differ (5, 5). Of a large hospital's figures not that part is suppressed (0.6).
LONG, USUAL, LARGE, HIDDEN = 8, 10, 100, 0.9
# What is the same in two places, or stays the same, is told unless chance has one such case in more than that
# part of the files: the product of the chances of its figures, times the places where it could be (for two
# hospitals, or weeks, of a state those of the state), and the ways to choose its figures. This is more than
# the probability where the chances are: of figures that are whole numbers, and of those that change slowly.
FALSE_ALARM = 0.01
# The publisher writes no figure above 0 and below that, and one digit after the point. The last digits of so
# many reports are by chance no multiples of 2 or more (pinned: of 12, once): those times 2, or 7, are.
LEAST, LONGER = 4, 16
# Beds are not ten times those before a gap, unless a point was lost (pinned: none after more than `SOON`).
JUMP, TENFOLD = 2, (9.5, 10.5)
# What a change of unit does, by 4, 7 or 10, or of the kind of beds, no wave does in such a part of a state's
# hospitals: from one report to the next (pinned: 0.39), or in a week (0.25, 0.35, 0.17).
WAVE, WAVE_OF, SURGE, SOON = 5, 5, 3, 4
MOVED = (
    ("patients", WAVE, 1 / 2, math.inf),
    ("patients", SURGE, 0.3, 1),
    ("beds", 1.2, 1 / 2, 1),
    ("beds", 1.5, 1 / 4, 1),
)
# Few patients repeat those before (pinned: 0.7 %), and some bed counts change (all but 95 %); nor are many
# patients unknown. No hospital is so many times as full as the next (1.53 times).
REPEATED, SAME_BEDS, UNKNOWN, FULLEST = 0.05, 0.98, 1 / 3, 2
# Few are so many times those on both sides, or such a part (pinned: 3.7 %), as averages of half a week are;
# and not those of half of a state's hospitals in one week (0.4), as where it was counted twice.
ALONE, ALONE_IN, ALONE_OF = 1.5, 0.05, 0.5
# Nor do so many go from `USUAL` or more to none or suppressed ones (pinned: 0.42), or from any to none (0.8).
FELL, FELL_TO_NONE = 0.5, 0.9
# Of so many hospitals or more, not most have the patients of another week (pinned: 14 %). Among the reports
# around one are so many weeks before, and after; it has not twice as many with known patients (pinned: 1.08).
COPIED, COPIED_OF, AROUND, THIN = 0.5, 5, 5, 0.5
# A state has that many times as many, or as few, patients per bed as the median state, if of so many figures
# (pinned: 0.41 to 1.64).
SHARE_APART, SHARE_FIGURES = 3, 100


Known = Callable[[pd.DataFrame], "pd.Series[bool]"]  # which reports have a figure


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


def _folded(cells: pd.Series) -> dict[object, str]:
    return {word: "".join(re.findall(r"\w+", str(word).casefold())) for word in cells.dropna().unique()}


def _one_name(table: pd.DataFrame) -> dict[str, str]:
    # By name, not by id: an id may be given to another hospital, or two may be exchanged.
    words = table.reindex(columns=[*NAMES]).astype(object).fillna({"city": table["state"]})
    alike = {name: words[name].map(_folded(words[name])) for name in NAMES}
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
    found = {}
    for row in pairs.itertuples():
        one = (row.first, row.last, f"{row.hospital}")
        other = (row.first_other, row.last_other, f"{row.hospital_other}")
        spans = sorted([one, other])
        says = ", ".join(f"{name} from {first} to {last}" for first, last, name in spans)
        found[says] = spans[1][2]
    return found


def _in_turn(table: pd.DataFrame) -> dict[str, str]:
    counts = table[table["beds"] > 0].groupby("hospital")["beds"].agg(["first", "last"]).add_prefix("beds_")
    known = _hospitals(table).merge(counts, on="hospital")
    both = known.merge(known, on="state", suffixes=("", "_other"))
    both = both[(both["begins"] < both["begins_other"]) & (both["ends"] < both["ends_other"])]
    apart, gap = _times(both["beds_first_other"], both["beds_last"]), both["begins_other"] - both["ends"]
    pairs = both.assign(apart=apart)[(gap > 0) | (gap > -TOGETHER) & (apart <= 1 + ALIKE)]
    pairs = pairs.sort_values("apart", kind="stable").drop_duplicates("hospital_other")
    return {
        f"{row.hospital} to {row.last}, {row.hospital_other} from {row.first_other} "
        f"({row.beds_last:g} and {row.beds_first_other:g} beds)": f"{row.hospital_other}"
        for row in pairs.itertuples()
    }


def _by_turns(table: pd.DataFrame) -> dict[str, str]:
    found: dict[str, str] = {}
    of_all = _hospitals(table).set_index("hospital")
    for _, reports in table.groupby("state"):
        there = reports.assign(there=1.0).pivot(index="round", columns="hospital", values="there").fillna(0)
        spans = of_all.loc[there.columns]
        begins, ends = spans["begins"].to_numpy(), spans["ends"].to_numpy()
        apart = (there.T @ there).to_numpy() == 0
        inside = (begins[:, None] < begins) & (begins < ends[:, None])
        for one, other in np.argwhere(apart & inside):
            span = f"from {spans['first'].iloc[other]} to {spans['last'].iloc[other]}"
            found[f"{there.columns[one]} and, {span}, {there.columns[other]}"] = there.columns[other]
    return found


def _many_change(table: pd.DataFrame) -> list[str]:
    spans = _hospitals(table)
    weeks = table.groupby(["state", "round"]).agg(week=("collection_week", "first"), all=("week", "size"))
    weeks["ended"], weeks["begin"] = (
        spans.groupby(["state", key]).size().reindex(weeks.index, fill_value=0) for key in ("ends", "begins")
    )
    # Where the file ends, nobody begins later; where it begins, nobody has ended.
    later = weeks.groupby("state").shift(-1)
    weeks = weeks.assign(begin=later["begin"], then=later["all"]).dropna()
    share = np.maximum(weeks["ended"] / weeks["all"], weeks["begin"] / weeks["then"])
    many = (share >= MANY) & (weeks[["ended", "begin"]].max(axis=1) >= FEWEST)
    return [
        f"{row.ended} of {row.all} in {row.state} after {row.week}, and {row.begin:.0f} begin"
        for row in weeks[many].reset_index().itertuples()
    ]


def _chance(table: pd.DataFrame, column: str) -> pd.Series:
    """Return the logarithm of the chance of each figure, from the hospital's others.

    It is the share of those that are the same: of all, of those around, or by steps from the one before,
    whichever is more.
    """
    by_hospital = table.groupby("hospital")[column]
    same, step = (
        table.groupby([table["hospital"], cells])["hospital"].transform("size") - 1
        for cells in (table[column], by_hospital.diff().round(1))
    )
    others = (by_hospital.transform("size") - 1).clip(lower=1)
    near, alike = (0 * table[column] for _ in range(2))
    for back in (*range(-AROUND, 0), *range(1, AROUND + 1)):
        cells = by_hospital.shift(back)
        near, alike = near + cells.notna(), alike + (cells == table[column])
    # With the figure itself, as the least of many shares of few figures would be too little.
    here = (alike + 1).where(alike > 0) / (near + 1)
    return np.log(np.fmax(np.fmax(np.fmax(same, step), 1) / others, here))


def _by_chance(log: float, places: float, same: int = 1, of: int = 1) -> bool:
    """Return whether chance explains so many same figures `of` some, in one of `places` in which it could."""
    return log + math.log(places * math.comb(of, same)) > math.log(FALSE_ALARM)


def _same_figures(table: pd.DataFrame) -> list[str]:
    positive = table[(table["patients"] > 0) & (table["beds"] > 0)]
    cells = positive[["state", "collection_week", "hospital", "patients", "beds"]].assign(row=positive.index)
    spans = _hospitals(positive).set_index("hospital")
    hospitals = spans.groupby("state").size()
    found: dict[str, int] = {}
    for columns, least in ((["patients", "beds"], SAME_WEEKS + 1), (["patients"], LONG), (["beds"], LONG)):
        pairs = _pairs(cells, "state", "collection_week", *columns)
        by_pair = pairs.groupby(["hospital", "hospital_other"])
        # Bed counts may stay the same in both.
        weeks = by_pair["beds"].nunique() if columns == ["beds"] else by_pair.size()
        several = weeks[weeks >= least].index
        concerned = positive[positive["hospital"].isin({name for pair in several for name in pair})]
        logs = pd.concat([_chance(concerned, column) for column in columns], axis=1).sum(axis=1)
        for pair in several:
            rows = by_pair.get_group(pair)
            log = max(logs[rows["row"]].sum(), logs[rows["row_other"]].sum())
            both = spans.loc[[*pair]]
            common = both["ends"].min() - both["begins"].max() + 1
            if not _by_chance(log, math.comb(hospitals[both["state"].iloc[0]], 2), len(rows), common):
                found.setdefault(" and ".join(pair), len(rows))
    return [f"{pair} in {found[pair]} weeks" for pair in sorted(found, key=lambda pair: -found[pair])]


def _sums(table: pd.DataFrame) -> list[str]:
    counted = table[table["beds"] > 0]
    weeks = counted.groupby(["state", "collection_week"])["beds"]
    others = weeks.transform("sum") - counted["beds"]
    alike = (_times(counted["beds"], others) <= 1 + ALIKE) & (weeks.transform("size") > WAVE_OF)
    shares = alike.groupby(counted["hospital"]).mean()
    return [f"{hospital} in {share:.0%} of its weeks" for hospital, share in shares.items() if share >= 1 / 2]


def _exchanged(table: pd.DataFrame) -> list[str]:
    counted = table[table["beds"] > 0]
    was = counted.groupby("hospital")["beds"].shift()
    counted = counted.assign(jumps=_times(counted["beds"], was) >= APART)
    pairs = _pairs(counted[counted["jumps"]], "state", "collection_week")
    counted = counted[counted["hospital"].isin({*pairs["hospital"], *pairs["hospital_other"]})]

    def usual(ordered: pd.DataFrame) -> pd.Series:
        rolled = ordered.groupby("hospital")["beds"].rolling(REPORTS, min_periods=1).median()
        return rolled.droplevel(0)

    before = usual(counted).groupby(counted["hospital"]).shift()
    counted = counted.assign(before=before, after=usual(counted[::-1]))
    pairs = _pairs(counted[counted["jumps"]], "state", "collection_week")
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
    positive = table[((table["patients"] > 0) | (table["patients"] == SUPPRESSED)) & (table["beds"] > 0)]
    steps = positive.groupby("hospital")["patients"].diff().round(1)
    # One step after another is that of a series which was filled in; rounded, by turns 0.1 more or less.
    even = ((steps - steps.shift()).abs().round(1) <= 0.1) & ((steps != 0) | (steps.shift() != 0))
    found = []
    for goes_on in (steps == 0, even):
        spells = _spells(positive, goes_on)
        spells = spells[spells["patients"] > 0]
        often = goes_on.groupby(positive["hospital"]).agg(["sum", "size"]).loc[spells["hospital"]]
        repeats, size = often["sum"].to_numpy(), often["size"].to_numpy()  # of the hospital's reports
        more = spells["weeks"] - 1
        # Of the others, and one more of each kind, as there may be few or none.
        alone = more * np.log((repeats - more + 1) / (size - more + 1))
        # Each of several hides the others by making them likely, so they are looked at together as well.
        several, together = (more.groupby(spells["hospital"]).transform(what) for what in ("size", "sum"))
        both = zip(alone, together * np.log(repeats / size), several, size, strict=True)
        told = [
            not (_by_chance(log, len(positive)) and _by_chance(every, len(positive), count, of))
            for log, every, count, of in both
        ]
        found += [
            f"{row.hospital} from {row.first} to {row.last} ({row.patients:g} of {row.beds:g} beds)"
            for row in spells[told].itertuples()
        ]
    return found


def _elsewhere(table: pd.DataFrame) -> list[str]:
    """Return hospitals of whose patients some stand in another place as well, as after a paste."""
    positive = table[table["patients"] > 0]
    places = len(positive) ** 2 / 2
    found: dict[str, str] = {}
    for reports in itertools.count(LONG):  # the more there are, the likelier each may be
        by_hospital = positive.groupby("hospital")
        cells = [by_hospital["patients"].shift(back).rename(back) for back in range(reports)]
        series = pd.concat(cells, axis=1).dropna()
        series = series[(series.min(axis=1) < series.max(axis=1)) & series.duplicated(keep=False)]
        if series.empty:
            break
        positive = positive[positive["hospital"].isin(positive["hospital"][series.index])]
        chances = _chance(positive, "patients").groupby(positive["hospital"])
        logs = chances.rolling(reports).sum().droplevel(0)[series.index]
        rare = series[[not _by_chance(log, places) for log in logs]]
        hospitals = positive["hospital"][rare.index]
        to = hospitals + " to " + positive["collection_week"]
        first = to[rare.index].groupby([rare[back] for back in rare]).transform("first")
        for hospital, place, other in zip(hospitals, to[rare.index], first, strict=True):
            if place != other:
                found.setdefault(hospital, f"{place}, and {other}")
        positive = positive[~positive["hospital"].isin(found)]
    return [*found.values()]


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


def _between(table: pd.DataFrame) -> list[str]:
    """Return hospitals with no patients, or several suppressed ones, between reports of `USUAL` or more."""
    known = table[_known_patients(table)]
    known = known.assign(
        reports=known.groupby("hospital").cumcount(),
        none=(known["patients"] == 0).groupby(known["hospital"]).cumsum(),
    )
    many = known[known["patients"] > 0]
    was = many.groupby("hospital")[["patients", "reports", "none", "collection_week"]].shift()
    fell = (many["none"] > was["none"]) | (many["reports"] > was["reports"] + 2)
    least = many["patients"].where(many["patients"] < was["patients"], was["patients"])
    cases = was.assign(hospital=many["hospital"], to=many["collection_week"], least=least)[
        fell & (least >= USUAL)
    ]
    times = cases.groupby("hospital")["least"].transform("size")
    cases = cases.assign(times=times).sort_values("least", ascending=False, kind="stable")
    return [
        f"{row.hospital} {row.times} times, from {row.collection_week} to {row.to} ({row.least:g} or more)"
        for row in cases.drop_duplicates("hospital").itertuples()
    ]


def _jumps(table: pd.DataFrame, column: str, least: int) -> list[str]:
    moves = _moves(table, column)
    before = moves[["patients", "beds"]].assign(**{column: moves["was"]})
    full, was_full = (cells["patients"].clip(lower=0) / cells["beds"] for cells in (moves, before))
    jumps = moves.assign(effect=(full - was_full).abs())
    times, soon = _times(moves[column], moves["was"]), moves["weeks"] <= SOON
    jumps = jumps[(times >= least) & (soon | ((column == "beds") & times.between(*TENFOLD)))]
    jumps = jumps.sort_values("effect", ascending=False, kind="stable")
    often = jumps.groupby("hospital")["effect"].transform("size")
    return [
        f"{row.hospital} {row.often} times, {row.was:g} to {getattr(row, column):g} in {row.collection_week}"
        for row in jumps.assign(often=often).drop_duplicates("hospital").itertuples()
    ]


def _moves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the figures above 0 of each hospital but the first; `was` is that of so many `weeks` before."""
    positive = table[table[column] > 0]
    before = positive.groupby("hospital")[[column, "day"]].shift()
    weeks = (positive["day"] - before["day"]) / 7
    return positive.assign(was=before[column], weeks=weeks).dropna(subset="was")


def _full(table: pd.DataFrame) -> list[str]:
    counted = table[table["beds"] > 0]
    full = counted[above(counted["patients"].to_numpy(), counted["beds"].to_numpy())]
    states = full.groupby("state")
    first = states.first().assign(reports=states.size()).reset_index()
    return [
        f"{row.state} in {row.reports}, {row.patients:g} of {row.beds:g} beds of {row.hospital} in "
        f"{row.collection_week}"
        for row in first[first["reports"] > FEW]
        .sort_values("reports", ascending=False, kind="stable")
        .itertuples()
    ]


def _copied(table: pd.DataFrame) -> list[str]:
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for state, reports in table[table["patients"] > 0].groupby("state"):
        by_week = reports.pivot(index="collection_week", columns="hospital", values="patients")
        weeks, cells = by_week.index, by_week.to_numpy()
        logs = np.empty((0, 0))
        for gap in range(1, len(weeks)):
            alike = cells[gap:] == cells[:-gap]
            same, both = alike.sum(axis=1), np.isfinite(cells[gap:] - cells[:-gap]).sum(axis=1)
            for week in np.flatnonzero((same >= COPIED_OF) & (same > COPIED * both)).tolist():
                if not len(logs):  # few states have any
                    chances = reports.assign(log=_chance(reports, "patients"))
                    logs = chances.pivot(index="collection_week", columns="hospital", values="log").to_numpy()
                log = np.maximum(logs[week], logs[week + gap])[alike[week]].sum()
                if _by_chance(log, math.comb(len(weeks), 2), same[week], both[week]):
                    continue
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


def _moved_together(table: pd.DataFrame, column: str, least: float, part: float, weeks: float) -> list[str]:
    moves = _moves(table, column)
    # Of hospitals with few patients many have three times as many by chance.
    large = moves[[column, "was"]].max(axis=1) >= (0 if weeks > 1 or column == "beds" else USUAL)
    moves = moves[large & (moves["weeks"] <= weeks)]
    ways = (moves[column] / moves["was"], moves["was"] / moves[column])
    return [says for times in ways for says in _together(times >= least, moves, part)]


def _together(found: "pd.Series[bool]", reports: pd.DataFrame, part: float) -> list[str]:
    """Return weeks in which so large a part of a state's hospitals is found."""
    by_week = found.groupby([reports["state"], reports["collection_week"]]).agg(["sum", "size"])
    many = by_week[(by_week["size"] >= WAVE_OF) & (by_week["sum"] >= part * by_week["size"])]
    return [
        f"{row.state} in {row.collection_week} ({row.sum} of {row.size})"
        for row in many.reset_index().itertuples()
    ]


def _repeated(table: pd.DataFrame, column: str, most: float) -> list[str]:
    moves = _moves(table, column)
    return _often(moves[column] == moves["was"], moves["state"], most)


def _often(found: "pd.Series[bool]", states: pd.Series, most: float) -> list[str]:
    by_state = found.groupby(states)
    shares = by_state.mean()[by_state.size() >= SHARE_FIGURES].sort_values(ascending=False, kind="stable")
    return [f"{share:.0%} in {state}" for state, share in shares.items() if share > most]


def _alone(table: pd.DataFrame) -> list[str]:
    positive = table[table["patients"] > 0]
    by_hospital = positive.groupby("hospital")[["patients", "day"]]
    before, after = by_hospital.shift(), by_hospital.shift(-1)
    beside = pd.concat([before["patients"], after["patients"]], axis=1)
    figures, least, most = positive["patients"], beside.min(axis=1), beside.max(axis=1)
    large = (after["day"] - before["day"] <= 7 * SOON) & (np.maximum(figures, least) >= USUAL)
    ways = ((figures >= ALONE * most)[large], (least >= ALONE * figures)[large])
    often = _often(ways[0] | ways[1], positive["state"], ALONE_IN)
    return often + [says for way in ways for says in _together(way, positive, ALONE_OF)]


def _often_unknown(table: pd.DataFrame) -> list[str]:
    spans = _hospitals(table).set_index("hospital")
    known = table[_known_patients(table)].groupby("hospital").size()
    shares = (1 - known / (spans["ends"] - spans["begins"] + 1)).dropna().sort_values(ascending=False)
    return [f"{hospital} in {share:.0%}" for hospital, share in shares.items() if share > UNKNOWN]


def _known_patients(table: pd.DataFrame) -> "pd.Series[bool]":
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


def _late(known: Known, limit: int, table: pd.DataFrame) -> list[str]:
    """Return hospitals that report for longer than the `limit` before a figure is known."""
    begins = _hospitals(table).set_index("hospital")["begins"]
    first = table[known(table)].groupby("hospital").first()
    first = first.assign(weeks=first["round"] - begins)
    return [
        f"{row.Index} for {row.weeks:.0f} weeks before {row.collection_week}"
        for row in first[first["weeks"] > limit]
        .sort_values("weeks", ascending=False, kind="stable")
        .itertuples()
    ]


def _carried(column: str, known: Known, limit: int, table: pd.DataFrame) -> list[str]:
    """Return what is carried for longer than the `limit`, first what weighs most."""
    last = table.groupby("hospital")["round"].transform("last")
    reports = table.assign(last=last)[known(table)]
    following = reports.groupby("hospital")["round"].shift(-1).fillna(reports["last"] + 1)
    reports = reports.assign(weeks=(following - reports["round"] - 1).astype(int))
    late = reports[reports["weeks"] > limit]
    order = (late[column] * late["weeks"]).sort_values(ascending=False, kind="stable").index
    return [
        f"{row.hospital} for {row.weeks} weeks after {row.collection_week}"
        for row in late.loc[order].itertuples()
    ]


def _other_shares(table: pd.DataFrame) -> list[str]:
    known = table[(table["patients"] >= 0) & (table["beds"] > 0)]
    by_state = known.groupby("state")[["patients", "beds"]]
    sums = by_state.sum()[by_state.size() >= SHARE_FIGURES]
    shares = sums["patients"] / sums["beds"]
    if len(shares) < 3 or not (usual := float(shares.median())):
        return []
    return [
        f"{state} has {share:.2g}, the median state {usual:.2g}"
        for state, share in shares.items()
        if not 1 / SHARE_APART <= share / usual <= SHARE_APART
    ]


def _fullest(table: pd.DataFrame) -> list[str]:
    counted = table[_known_patients(table) & (table["beds"] > 0)]
    share = counted["patients"].where(counted["patients"] >= 0, 2) / counted["beds"]
    sums = counted.assign(sum=share.clip(upper=1)).groupby(["state", "hospital"])["sum"].sum()
    found = []
    for _, state in sums.sort_values(ascending=False, kind="stable").reset_index().groupby("state"):
        first, following = (state.iloc[place] for place in (0, min(1, len(state) - 1)))
        if len(state) >= WAVE_OF and first["sum"] >= FULLEST * following["sum"] > 0:
            found.append(f"{first['hospital']} ({first['sum']:.3g} in all, the next {following['sum']:.3g})")
    return found


def _mostly_hidden(table: pd.DataFrame) -> list[str]:
    known = table[_known_patients(table)]
    hospitals = (known["patients"] == SUPPRESSED).groupby(known["hospital"]).agg(["mean", "size"])
    hospitals["beds"] = table[table["beds"] > 0].groupby("hospital")["beds"].median()
    large = hospitals[(hospitals["beds"] >= LARGE) & (hospitals["size"] >= LONG)]
    hidden = large[large["mean"] > HIDDEN].sort_values("beds", ascending=False, kind="stable")
    return [f"{row.Index} in {row.mean:.0%}, of {row.beds:g} beds" for row in hidden.itertuples()]


def _other_state(table: pd.DataFrame) -> list[str]:
    ids = table.drop_duplicates("hospital")
    ids = ids[ids["hospital_pk"].str.len() == 6].assign(begins=ids["hospital_pk"].str[:2])
    of_state = ids.groupby(["begins", "state"]).size()
    homes = of_state[of_state >= HOME * of_state.groupby("begins").transform("sum")]
    homes = homes[homes >= WAVE_OF].reset_index("state")["state"]
    home = ids["begins"].map(homes)
    return [
        f"{row.hospital} (ids of {row.home} begin with {row.begins})"
        for row in ids.assign(home=home)[home.notna() & (home != ids["state"])].itertuples()
    ]


def _unpublished(table: pd.DataFrame) -> list[str]:
    found = []
    for column in ("patients", "beds"):
        cells = table[column]
        tenths = cells * 10
        odd = (cells != SUPPRESSED) & ((cells < 0) | (cells > 0) & (cells < LEAST))
        odd |= (cells.abs() < 1e9) & ((tenths - tenths.round()).abs() > 1e-6)
        for state, rows in table[odd].groupby("state"):
            first = rows.iloc[0]
            says = f"{first[column]:g} {column} of {first['hospital']} in {first['collection_week']}"
            found.append((len(rows), f"{says}, and {len(rows) - 1} more in {state}"))
    return [says for _, says in sorted(found, key=lambda case: -case[0])]


def _multiples(table: pd.DataFrame) -> list[str]:
    positive = table[(table["patients"] > 0) & (table["patients"] < 1e9)]
    tenths = positive["patients"].mul(10).round().astype("int64").to_numpy()
    common = tenths.copy()
    for gap in range(1, LONGER):
        common[gap:] = np.gcd(common[gap:], tenths[:-gap])
    one = positive["hospital"] == positive["hospital"].shift(LONGER - 1)
    since = positive["collection_week"].shift(LONGER - 1)
    found = positive.assign(since=since, of=common / 10)[one & (common > 1)].drop_duplicates("hospital")
    return [
        f"{row.hospital} from {row.since} to {row.collection_week} (of {row.of:g})"
        for row in found.sort_values("beds", ascending=False, kind="stable").itertuples()
    ]


def _own_weeks(table: pd.DataFrame) -> list[str]:
    weeks = table.drop_duplicates(["state", "collection_week"])
    if weeks["state"].nunique() < FEWEST:
        return []
    there = pd.crosstab(weeks["collection_week"], weeks["state"]) > 0
    lacks = there.cummax() & there[::-1].cummax() & ~there
    return [
        f"{state}{what}, {alone.sum()} from {alone.idxmax()}"
        for what, cells in (("", there), (" lacks", lacks))
        for state, alone in cells[cells.sum(axis=1) == 1].items()
        if alone.any()
    ]


# What says that a hospital reports under a new id: each case, with that id.
NEW_IDS: Mapping[str, Callable[[pd.DataFrame], dict[str, str]]] = {
    "one name under two ids": _one_name,
    "an id begins as another ends, or later": _in_turn,
    "two ids report by turns": _by_turns,
}
RULES: Mapping[str, Callable[[pd.DataFrame], list[str]]] = {
    "ids of another state": _other_state,
    "weeks that one state alone has, or lacks between its others": _own_weeks,
    f"figures below 0, above 0 and below {LEAST}, or of more than one digit after the point": _unpublished,
    f"patients in {LONGER} reports or more that are all multiples of a number above 0.1": _multiples,
    "many hospitals end with a week, or begin after it": _many_change,
    "two hospitals exchange their bed counts": _exchanged,
    "two hospitals have the same figures": _same_figures,
    "as many beds as all other hospitals of the state together": _sums,
    "weeks of a state in which most hospitals have the patients of another week": _copied,
    "weeks in which less than half as many hospitals have patients as in those around": _thin,
    f"the same patients or, to 0.1, the same step in {LONG} reports or more": _stuck,
    f"patients of {LONG} reports, one after another, in two places": _elsewhere,
    f"no patients in {LONG} reports or more, and often {USUAL} in others": _none,
    f"no patients, or several suppressed figures, between reports of {USUAL} or more": _between,
    f"as many patients as beds, or more, in more than {FEW} reports of a state": _full,
    f"bed counts {JUMP} times, or 1/{JUMP}, those before": lambda table: _jumps(table, "beds", JUMP),
    f"patients {WAVE} times, or 1/{WAVE}, those before": lambda table: _jumps(table, "patients", WAVE),
    **{
        f"{part:.0%} of the hospitals have {column} {least} times, or 1/{least}, those of the "
        f"{'week' if weeks == 1 else 'report'} before": partial(
            _moved_together, column=column, least=least, part=part, weeks=weeks
        )
        for column, least, part, weeks in MOVED
    },
    "most of the hospitals with patients before have none, or suppressed ones": _fell_together,
    **{
        f"more than {most:.0%} of {column} are those before": partial(_repeated, column=column, most=most)
        for column, most in (("patients", REPEATED), ("beds", SAME_BEDS))
    },
    f"patients {ALONE} times, or 1/{ALONE}, those before and after in more than {ALONE_IN:.0%}, or in half "
    "of the hospitals in a week": _alone,
    f"patients unknown in more than {UNKNOWN:.0%} of the weeks": _often_unknown,
    f"{SHARE_APART} times, or 1/{SHARE_APART}, the usual patients per bed": _other_shares,
    f"{FULLEST} times as full as the next hospital": _fullest,
    f"more than {HIDDEN:.0%} suppressed in hospitals of {LARGE} beds or more": _mostly_hidden,
}


def rules(carried_weeks: int) -> dict[str, Callable[[pd.DataFrame], list[str]]]:
    """Return what else is told, by what it says; a rule takes reports `in_order`."""
    found = dict(RULES)
    for column, known in (("patients", _known_patients), ("beds", lambda table: table["beds"] > 0)):
        limit = f"{carried_weeks} weeks (hospital.carried_weeks)"
        found[f"{column} carried forward for more than {limit}"] = partial(
            _carried, column, known, carried_weeks
        )
        found[f"{column} unknown for more than the first {limit}"] = partial(_late, known, carried_weeks)
    return found


def in_order(reports: pd.DataFrame, patients: str, beds: str) -> pd.DataFrame:
    """Return reports by hospital and week; `patients` and `beds` are the columns that are played."""
    table = reports.assign(
        hospital=reports["state"] + " " + reports["hospital_pk"],
        patients=reports[patients],
        beds=reports[beds],
        week=reports["collection_week"].astype("category").cat.codes,
        day=pd.to_datetime(reports["collection_week"]).to_numpy("datetime64[D]").astype(int),
    )
    table = table.drop_duplicates(["hospital", "week"]).sort_values(["hospital", "week"], ignore_index=True)
    return table.assign(round=table.groupby("state")["week"].rank("dense").astype(int))


@np.errstate(all="ignore")  # figures without bound, which are refused after cleaning
def remarks(
    reports: pd.DataFrame, patients: str, beds: str, carried_weeks: int
) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return by rule what it finds; and by state how many ids look like new ones of other hospitals."""
    table = in_order(reports, patients, beds)
    told = table.dropna(subset=["patients", "beds"], how="all")  # rows of an id that has ended may go on
    new = {what: rule(told) for what, rule in NEW_IDS.items()}
    others = {what: rule(table) for what, rule in rules(carried_weeks).items()}
    ids = {hospital for cases in new.values() for hospital in cases.values()}
    found = {what: [*cases] for what, cases in {**new, **others}.items() if cases}
    return found, dict(Counter(sorted(hospital[:2] for hospital in ids)))
