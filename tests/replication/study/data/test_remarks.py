"""What is told of reports that are read as they are, each at its limit and just within it."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd

from private_experts.randomness import rng_for
from private_experts.replication.study.data.hospital_reports import SUPPRESSED
from private_experts.replication.study.data.remarks import NEW_IDS, in_order, remarks, rules
from tests.each import each
from tests.replication.study.data.weekly import NAN, table, week_by_week

WEEKS = [f"{day:%Y-%m-%d}" for day in pd.date_range("2021-01-01", periods=40, freq="7D")]


def reports(hospital, patients, beds=100, weeks=WEEKS, state="NM", **names):
    """Return the reports of one hospital; a number stands for all weeks, where patients go up and down."""
    if isinstance(patients, int):
        patients = [patients + week % 2 for week in range(len(weeks))]
    if isinstance(beds, int):
        beds = [beds] * len(weeks)
    return week_by_week(hospital, patients, beds, state, weeks).assign(**names)


class Told(Mapping):
    """What is told, by the first three words of its rule; a rule that nobody asks for does not look."""

    def __init__(self, reports, limit):
        self.reports, self.rules = in_order(reports, "patients", "beds"), {}
        for what, rule in (NEW_IDS | rules(limit)).items():
            self.rules.setdefault(" ".join(what.split()[:3]), []).append(rule)

    @np.errstate(all="ignore")
    def __getitem__(self, key):
        if found := [case for rule in self.rules[key] for case in rule(self.reports)]:
            return found
        raise KeyError(key)

    def __iter__(self):
        return (key for key in self.rules if key in self)

    def __len__(self):
        return sum(1 for _ in self)


def told(*parts, limit=4):
    return Told(table(*parts), limit)


def unlike(seed, least=5, times=0.1):
    """Return figures of which no two are the same, nor many steps from one to the next."""
    return [round(least + times * int(n), 1) for n in rng_for(52, seed).permutation(80)[:40]]


# Unlike in all else, so that nothing is told of them.
CALM = [
    reports(
        f"99000{n}",
        [round(1.1 * n + 5 + week % 3 + week / 10, 1) for week in range(40)],
        [60 + 8 * n + (week > 30) for week in range(40)],
    )
    for n in range(8)
]


def test_nothing_is_told_of_reports_of_which_nothing_is_wrong():
    assert told(*CALM) == {}


def test_files_of_any_figures_are_read():
    """Where none is known, there is nothing to tell of either."""
    parts = []
    for state, figure in {"AZ": NAN, "CA": -5, "CO": 0, "NM": 1e308, "UT": 5e-324}.items():
        cells = [figure] * 40
        pairs = enumerate(((cells, cells), (cells, 7), (7, cells)))
        parts += [reports(f"01000{n}", *figures, state=state) for n, figures in pairs]
    with warnings.catch_warnings(action="error"):
        dict(told(*parts))
        assert told(parts[0]) == {}


def test_hospitals_of_one_name_that_follow_each_other_are_told():
    def named(hospital, weeks, name, city, state="NM"):
        return reports(hospital, 0, 50 + 9 * int(hospital[-2:]), weeks, state, hospital_name=name, city=city)

    early, late = WEEKS[:20], WEEKS[20:]
    parts = [
        named("010001", early, "ST MARY", "Taos"),
        named("010002", late, " St  Mary ", "TAOS"),
        named("010008", WEEKS, "ST MARY", "Taos"),  # beside them
        named("010004", late, "ST MARY", "Gallup"),
        named("010005", WEEKS, "OTHER", "Taos"),
        named("010006", early, None, "Taos"),
        named("010007", late, None, "Taos"),
        named("010009", WEEKS[:10], "BY THE LAKE", "Taos"),  # two whose ids are exchanged, for some weeks
        named("010010", WEEKS[:10], "AT THE RIVER", "Taos"),
        named("010009", WEEKS[10:30], "AT THE RIVER", "Taos"),
        named("010010", WEEKS[10:30], "BY THE LAKE", "Taos"),
        named("010009", WEEKS[30:], "BY THE LAKE", "Taos"),
        named("010010", WEEKS[30:], "AT THE RIVER", "Taos"),
        named("040011", WEEKS[:22], "MOVES", "Raton", "AZ"),
        named("060012", WEEKS[18:], "MOVES", "Raton", "CO"),
        named("040003", WEEKS[:22], "STAYS", "Raton", "AZ"),
        named("060014", WEEKS[17:], "STAYS", "Raton", "CO"),
    ]
    assert sorted(told(*parts)["one name under"]) == [
        f"AZ 040011 from {WEEKS[0]} to {WEEKS[21]}, CO 060012 from {WEEKS[18]} to {WEEKS[39]}",
        f"NM 010001 from {WEEKS[0]} to {WEEKS[19]}, NM 010002 from {WEEKS[20]} to {WEEKS[39]}",
        f"NM 010009 from {WEEKS[0]} to {WEEKS[39]}, NM 010010 from {WEEKS[10]} to {WEEKS[29]}",
        f"NM 010010 from {WEEKS[0]} to {WEEKS[39]}, NM 010009 from {WEEKS[10]} to {WEEKS[29]}",
    ]
    unnamed = (part.assign(hospital_name=NAN) for part in parts)
    assert "one name under" not in told(*unnamed)


@each(
    ("mine", "others", "beds", "other", "is_told"),
    [
        ((0, 23), (17, 40), 150, {}, True),  # both for six weeks, and one goes on
        ((0, 23), (17, 40), 150, {"state": "AZ"}, False),
        ((0, 23), (17, 40), 115, {"state": "AZ"}, True),  # with one bed count
        ((0, 40), (0, 40), 115, {}, True),
        ((0, 40), (0, 40), 116, {}, False),
        ((0, 20), (38, 40), 150, {"state": "AZ"}, True),
        ((17, 40), (0, 23), 150, {"hospital_name": "St. Mary's,"}, True),
        # Where no city is known, it is sought in its state.
        ((0, 20), (23, 40), 150, {"city": NAN}, True),
        ((0, 20), (23, 40), 150, {"city": NAN, "state": "AZ"}, False),
        ((0, 20), (23, 40), 150, None, True),  # without a column of cities
    ],
)
def test_a_hospital_under_two_ids_is_told_however_long_both_report(mine, others, beds, other, is_told):
    same = {"hospital_name": "ST MARYS", "city": NAN if other and other.get("city") is NAN else "Taos"}
    parts = table(
        reports("010001", 5, 100, WEEKS[slice(*mine)], **same),
        reports("010002", 6, beds, WEEKS[slice(*others)], **(same | (other or {}))),
    )
    found = told(parts.drop(columns="city") if other is None else parts)
    assert ("one name under" in found) is is_told


@each(
    ("copied", "own", "gap", "is_told"),
    [
        *((5, 4, 9, True), (5, 5, 9, False), (4, 0, 9, False), (8, 0, 9, True)),
        (8, 0, 1, True),
        (5, 4, 1, False),  # so near, chance may have it
    ],
)
def test_a_week_that_is_copied_is_told_however_far(copied, own, gap, is_told):
    def patients(n):
        row = unlike(n)
        if n < copied:
            row[20 + gap] = row[20]
        return row

    parts = [reports(f"0100{n:02}", patients(n), 60 + 8 * n) for n in range(copied + own)]
    line = f"NM in {WEEKS[20]} and {WEEKS[20 + gap]} ({copied} of {copied + own})"
    assert told(*parts).get("weeks of a") == ([line] if is_told else None)


@each(("figure", "weeks"), [(None, 30), (SUPPRESSED, 0), (0, 0), (7, 0)])
def test_every_week_that_is_copied_is_told_once(figure, weeks):
    """Of the figures of ten weeks, three times again; one figure throughout is refused."""
    rows = [unlike(n)[:10] * 4 if figure is None else [figure] * 40 for n in range(12)]
    found = told(*(reports(f"0100{n:02}", row, 60 + 8 * n) for n, row in enumerate(rows)))
    assert len(found.get("weeks of a", [])) == weeks


@each(
    ("week", "left", "of", "is_told"),
    [
        (20, 5, 10, False),
        (20, 0, 3, True),
        (20, 0, 2, False),  # few may be missing
        (0, 4, 9, True),
        (39, 4, 9, True),
    ],
)
def test_a_week_of_few_reports_is_told(week, left, of, is_told):
    cells = [[7 + n + at / 128 for at in range(40)] for n in range(of)]
    for n, row in enumerate(cells[left:]):
        row[week] = None if n else NAN  # a week without rows is no round
    parts = (reports(f"0100{n:02}", row, 60 + 8 * n) for n, row in enumerate(cells))
    assert told(*parts).get("weeks in which") == (
        [f"NM in {WEEKS[week]} ({left}, {of} around)"] if is_told else None
    )


def test_weeks_before_hospitals_open_are_not_those_of_few_reports():
    parts = [reports(f"0100{n:02}", unlike(n), 60 + 8 * n) for n in range(2)]
    parts += [reports(f"0100{n:02}", unlike(n), 60 + 8 * n, WEEKS[3:]) for n in range(2, 9)]
    assert told(*parts)["weeks in which"] == [f"NM in {WEEKS[0]} (2, 9 around)"]  # of which no more is known


def test_what_is_told_of_most_comes_first():
    def part(state, n, known):
        patients = [7 + n + at / 10 for at in range(40)]
        patients[20] = NAN if n >= known else 3.9
        return reports(f"0100{n:02}", patients, state=state)

    states = (("AZ", 4, 1), ("NM", 9, 2))
    found = told(*(part(state, n, known) for state, of, known in states for n in range(of)))
    assert found["weeks in which"] == [
        f"{state} in {WEEKS[20]} ({known}, {of} around)" for state, of, known in states[::-1]
    ]
    assert found["figures below 0,"] == [
        f"3.9 patients of {state} 010000 in {WEEKS[20]}, and {known - 1} more in {state}"
        for state, _, known in states[::-1]
    ]


@each(("patients", "weeks", "is_told"), [(7, 5, True), (7, 4, False), (7.5, 5, True), (6.9, 9, False)])
def test_states_whose_hospitals_are_full_in_several_reports_are_told(patients, weeks, is_told):
    parts = [
        reports(
            f"01000{n}",
            [patients if week % 2 == n and 10 <= week < 10 + weeks else 5 for week in range(40)],
            7,
        )
        for n in range(2)
    ]
    line = f"NM in {weeks}, {patients:g} of 7 beds of NM 010000 in {WEEKS[10]}"
    assert told(*parts, *CALM).get("as many patients") == ([line] if is_told else None)
    one = reports("010000", [7 if 10 <= week < 15 else SUPPRESSED for week in range(40)], 1)
    assert told(one)["as many patients"] == [f"NM in 5, 7 of 1 beds of NM 010000 in {WEEKS[10]}"]


@each(
    ("end", "begin", "beds", "is_told"),
    [
        (20, 20, 100, True),
        (20, 20, 7, True),  # of whatever bed count
        (20, 35, 7, True),  # after however many weeks
        (20, 17, 115, True),  # where both report, of the same one
        (20, 16, 116, False),
        (20, 15, 100, False),
        (20, 20, NAN, False),
        (40, 38, 100, False),  # which does not end
    ],
)
def test_an_id_that_begins_as_another_ends_is_told(end, begin, beds, is_told):
    parts = (reports("010001", 5, 100, WEEKS[:end]), reports("010002", 6, [beds] * 40, WEEKS[begin:]))
    line = f"NM 010001 to {WEEKS[19]}, NM 010002 from {WEEKS[begin]} (100 and {beds:g} beds)"
    assert told(*parts, *CALM).get("an id begins") == ([line] if is_told else None)


def test_an_id_is_told_once_with_the_nearest_bed_count_and_the_nearest_first():
    ends = [reports(f"01000{n}", 5, beds, WEEKS[:20]) for n, beds in enumerate((50, 90, 200))]
    begin = [reports("020000", 5, 100, WEEKS[20:]), reports("020001", 5, 200, WEEKS[20:])]
    assert [line.partition(" from")[0] for line in told(*ends, *begin, *CALM)["an id begins"]] == [
        f"NM 010002 to {WEEKS[19]}, NM 020001",
        f"NM 010001 to {WEEKS[19]}, NM 020000",
    ]


@each("weeks", [[20], [20, 21, 22], list(range(1, 39, 2))])
def test_a_hospital_that_reports_a_while_under_another_id_is_told(weeks):
    def part(hospital, chosen, **named):
        return reports(hospital, 5, 100, [WEEKS[week] for week in chosen], **named)

    rest = [week for week in range(40) if week not in weeks]
    line = f"NM 010001 and, from {WEEKS[weeks[0]]} to {WEEKS[weeks[-1]]}, NM 010002"
    assert told(part("010001", rest), part("010002", weeks), *CALM)["two ids report"] == [line]
    both = part("010002", [*weeks, 39])  # which is no reason to think so
    assert "two ids report" not in told(part("010001", rest), both, *CALM)
    assert "two ids report" not in told(part("010001", rest), part("010002", weeks, state="AZ"), *CALM)


def test_a_new_id_is_counted_once_in_its_state_by_whatever_rules_it_is_found():
    named = {"hospital_name": "ST MARY", "city": "Taos"}
    parts = [
        reports("010001", 5, 100, WEEKS[:20], **named),
        reports("010002", 5, 100, WEEKS[20:], **named),  # by its name and as it begins
        reports("010003", 9, 50, [*WEEKS[:9], *WEEKS[11:]]),
        reports("010004", 9, 60, WEEKS[9:11]),  # by turns
        reports("020001", 7, 30, WEEKS[:20], "AZ", hospital_name="MOVES", city="Raton"),
        reports("030001", 7, 30, WEEKS[20:], "CO", hospital_name="MOVES", city="Raton"),
        reports("030002", 8, 45, WEEKS, "CO"),
    ]
    found, new_ids = remarks(table(*parts), "patients", "beds", 4)
    assert [*found][:3] == [*NEW_IDS]
    assert new_ids == {"CO": 1, "NM": 2}


def test_an_id_whose_rows_go_on_without_a_figure_has_ended():
    cells = [100] * 20 + [NAN] * 20
    parts = [reports("010001", cells, cells), reports("010002", 6, 100, WEEKS[20:]), *CALM]
    found, new_ids = remarks(table(*parts), "patients", "beds", 4)
    assert found["an id begins as another ends, or later"] == [
        f"NM 010001 to {WEEKS[19]}, NM 010002 from {WEEKS[20]} (100 and 100 beds)"
    ]
    assert new_ids == {"NM": 1}
    empty = [NAN] * 40
    assert remarks(table(reports("010001", empty, empty)), "patients", "beds", 4)[1] == {}


@each(("count", "hospital", "is_told"), [(9, "320099", True), (8, "320099", False), (9, "32009", False)])
def test_an_id_of_another_state_is_told(count, hospital, is_told):
    parts = [reports(f"32000{n}", n + 5) for n in range(count)]
    found = told(*parts, reports(hospital, 5, state="AZ")).get("ids of another")
    assert found == ([f"AZ {hospital} (ids of NM begin with 32)"] if is_told else None)


@each(("states", "is_told"), [(("AZ", "CO"), True), (("AZ",), False)])
def test_weeks_that_one_state_alone_has_are_told(states, is_told):
    parts = [reports(f"01000{n}", 5, weeks=WEEKS[:30], state=state) for n, state in enumerate(states)]
    late = reports("020000", 5, weeks=WEEKS[2:32])
    found = told(*parts, late).get("weeks that one")
    assert found == ([f"NM, 2 from {WEEKS[30]}"] if is_told else None)


@each(("lacking", "is_told"), [((9, 20), True), ((0, 1), False), ((28, 29), False), ((9,), True)])
@each("alone", [True, False])
def test_weeks_that_one_state_alone_lacks_between_its_others_are_told(lacking, is_told, alone):
    rest = [week for number, week in enumerate(WEEKS[:30]) if number not in lacking]
    states = {"NM": rest, "AZ": WEEKS[:30], "CO": WEEKS[:30], "UT": WEEKS[:30] if alone else rest}
    parts = [reports(f"01000{n}", 5, 100, states[state], state) for n, state in enumerate(states)]
    line = f"NM lacks, {len(lacking)} from {WEEKS[lacking[0]]}"
    assert told(*parts).get("weeks that one") == ([line] if is_told and alone else None)


@each("column", ["patients", "beds"])
@each(
    ("figure", "is_told"),
    [
        (3.9, True),
        (4, False),
        (-1, True),
        (12.25, True),
        (12.2, False),
        (0, False),
        (SUPPRESSED, False),
        (NAN, False),
    ],
)
def test_figures_that_the_publisher_does_not_write_are_told(figure, is_told, column):
    cells = [10.1 + week % 2 for week in range(40)]
    cells[20] = figure
    part = reports("010001", cells, 100) if column == "patients" else reports("010001", [5, 6.1] * 20, cells)
    line = f"{figure:g} {column} of NM 010001 in {WEEKS[20]}, and 0 more in NM"
    assert told(part, *CALM).get("figures below 0,") == ([line] if is_told else None)


@each(
    ("times", "weeks", "of", "is_told"),
    [(2, 16, 0.2, True), (2, 15, 0.2, False), (7, 40, 0.7, True), (1, 40, 0, False), (10, 16, 1, True)],
)
def test_patients_of_one_hospital_times_a_number_are_told(times, weeks, of, is_told):
    row = [round((4.2 + (week * 7 % 40) / 10) * (times if week < weeks else 1), 1) for week in range(40)]
    cells = [cell for figure in row for cell in (figure, SUPPRESSED)][:40] if weeks == 40 else row
    found = told(reports("010001", cells), *CALM).get("patients in 16")
    assert (found is not None) is is_told
    if is_told:
        assert found[0].startswith(f"NM 010001 from {WEEKS[0]} to ")
        assert found[0].endswith(f"(of {of:g})")


@each(
    ("more", "weeks", "is_told"),
    [(0, 40, True), (15, 20, True), (-12, 40, True), (16, 40, False), (0, 19, False)],
)
@each("others", [5, 4])
def test_a_row_of_a_whole_state_is_told(more, weeks, is_told, others):
    rows = [reports(f"01000{n}", 5, 20 * (n < others), state="AZ") for n in range(others + 1)]
    total = reports(
        "019999", 25, [others * 20 * (100 + more) / 100] * weeks + [10] * (40 - weeks), state="AZ"
    )
    found = told(*rows, total, *CALM).get("as many beds")
    line = f"AZ 019999 in {weeks / 40:.0%} of its weeks"
    assert found == ([line] if is_told and others == 5 else None)


@each(("times", "is_told"), [(4, True), (1.1, False)])
@each("hospitals", [5, 4])
def test_a_hospital_that_is_far_fuller_than_the_next_is_told(times, is_told, hospitals):
    rows = [[round(times * 10.1, 1)] * 40] + [[10.1 + n] * 39 + [SUPPRESSED] for n in range(hospitals - 1)]
    found = told(*(reports(f"01000{n}", row, 100) for n, row in enumerate(rows))).get("2 times as")
    last = 10.1 + hospitals - 2
    line = f"NM 010000 ({0.4 * times * 10.1:.3g} in all, the next {(39 * last + 2) / 100:.3g})"
    assert found == ([line] if is_told and hospitals == 5 else None)
    # one bed counts, and no bed does not
    rows = [reports(f"01000{n}", [1 + 9 * n] * 40, beds) for n, beds in enumerate((1, 200, 0, 190, 180, 170))]
    assert told(*rows[: hospitals + 1]).get("2 times as") == (
        ["NM 010000 (40 in all, the next 10.8)"] if hospitals == 5 else None
    )


@each(
    ("beds", "hidden", "weeks", "is_told"),
    [(100, 37, 40, True), (99, 40, 40, False), (100, 36, 40, False), (100, 7, 7, False)],
)
def test_large_hospitals_of_suppressed_figures_are_told(beds, hidden, weeks, is_told):
    row = [SUPPRESSED] * hidden + [9.1] * (weeks - hidden)
    found = told(reports("010001", row, beds, WEEKS[:weeks]), *CALM).get("more than 90%")
    assert found == ([f"NM 010001 in {hidden / weeks:.0%}, of 100 beds"] if is_told else None)


@each(("count", "of", "is_told"), [(2, 8, False), (3, 19, False), (3, 18, True)])
@each("which", ["end", "begin", "both"])
def test_many_hospitals_that_end_or_begin_are_told(count, of, is_told, which):
    early, late = WEEKS[:20], WEEKS[20:]
    weeks = {"end": early, "begin": late, "both": early}[which]
    parts = [reports(f"01{n:04}", n, 50 + 9 * n, weeks if n < count else WEEKS) for n in range(of)]
    parts += [reports(f"02{n:04}", n, 20 + 9 * n, late) for n in range(count * (which == "both"))]
    ended, begun = count * (which != "begin"), count * (which != "end")
    line = f"{ended} of {of - count * (which == 'begin')} in NM after {WEEKS[19]}, and {begun} begin"
    assert told(*parts).get("many hospitals end") == ([line] if is_told else None)


@each(
    ("cells", "is_told"),
    [
        ([10, 0, 10.1], True),
        ([10, NAN, 0, NAN, 10], True),
        ([10, SUPPRESSED, SUPPRESSED, 12], True),
        ([10, 9.9, 10, 0], False),
        ([10, 0, 9.9], False),
        ([10, SUPPRESSED, 12], False),
        ([10, NAN, NAN, -5, 12], False),
    ],
)
def test_hospitals_that_go_from_many_patients_to_none_and_back_are_told(cells, is_told):
    last = WEEKS[len(cells) - 1]
    line = f"NM 010001 1 times, from {WEEKS[0]} to {last} (10 or more)"
    found = told(reports("010001", cells, 100, WEEKS[: len(cells)]), *CALM).get("no patients, or")
    assert found == ([line] if is_told else None)


def test_hospitals_with_the_same_figures_are_told():
    def found(weeks, mine):
        other = [figure + 0.5 * (week >= weeks) for week, figure in enumerate(mine)]
        return told(reports("010001", mine), reports("010002", other)).get("two hospitals have")

    assert found(4, unlike(1)) is None
    assert found(5, unlike(1)) == ["NM 010001 and NM 010002 in 5 weeks"]
    assert found(20, [7 + week % 2 for week in range(40)]) is None
    assert found(40, [7 + week % 2 for week in range(40)]) == ["NM 010001 and NM 010002 in 40 weeks"]
    cells = unlike(1)
    many = [reports(f"01000{n}", cells[:weeks]) for n, weeks in enumerate((40, 10, 12))]
    assert told(*many)["two hospitals have"][0] == "NM 010000 and NM 010002 in 12 weeks"


@each("weeks", [8, 7])
def test_a_hospital_that_is_there_twice_is_told_by_either_figure(weeks):
    mine = unlike(1)[:10]
    other = [figure if week < weeks else figure + 0.05 for week, figure in enumerate(mine)]
    parts = (reports("010001", mine, 50, WEEKS[:10]), reports("010002", other, 60, WEEKS[:10]))
    line = f"NM 010001 and NM 010002 in {weeks} weeks"
    assert told(*parts).get("two hospitals have") == ([line] if weeks == 8 else None)
    beds = [100 + week % 8 for week in range(40)]
    parts = (reports("010001", 5, beds), reports("010002", 7, [min(b, 99 + weeks) + 0 for b in beds]))
    # 8 counts, or 7 of them: in how many weeks does not matter
    assert told(*parts, *CALM).get("two hospitals have") == (
        ["NM 010001 and NM 010002 in 40 weeks"] if weeks == 8 else None
    )


@each(
    ("other", "weeks", "times", "is_told"),
    [
        (145, (10, 40), 1, False),  # not far apart
        (150, (10, 13), 1, True),
        (155, (10, 12), 1, False),  # for two weeks
        (155, (36, 40), 1, True),
        (170, (10, 40), 1.06, True),
        (170, (10, 40), 1.07, False),
        (170, (10, 40), 1 / 1.07, False),
        (1550, (10, 40), 1.4, True),  # so far apart that much of it is little
    ],
)
def test_hospitals_that_exchange_their_beds_are_told(other, weeks, times, is_told):
    def beds(before, after):
        return [after * times if weeks[0] <= week < weeks[1] else before for week in range(40)]

    parts = (reports("010001", 3, beds(100, other)), reports("010002", 4, beds(other, 100)))
    line = f"NM 010001 and NM 010002 in {WEEKS[weeks[0]]} (100 and {other * times:g} beds)"
    assert (line in told(*parts, *CALM).get("two hospitals exchange", [])) is is_told


@each(
    ("patients", "beds", "is_told"),
    [
        ([4.5] * 8, [90, 95] * 4, True),  # stuck alone
        ([4.5] * 7 + [4.6], [90] * 8, False),
        ([4.5] * 4 + [None] + [4.5] * 4, [90] * 9, True),  # a gap is no change
        ([SUPPRESSED] * 8, [90] * 8, False),
        ([0] * 8, [90] * 8, False),
        ([4.5, 4.7, 4.9, 5.1, 5.3, 5.5, 5.7, 5.9], [90] * 8, True),  # a series that a spreadsheet filled in
        ([4.5, 4.7, 4.9, 5.1, 5.3, 5.5, 5.7, 6.1], [90] * 8, False),
        ([4.5, 4.7, 5.0, 5.2, 5.5, 5.7, 6.0, 6.2], [90] * 8, True),  # or a gap, steps of 0.25 rounded
        ([4.5, 4.7, 5.0, 5.2, 5.5, 5.7, 6.0, 6.5], [90] * 8, False),
        ([4.5, 4.7, 4.9, 5.1, 5.1, 5.1, 5.1, 5.1], [90] * 8, False),  # neither goes on for so long
    ],
)
def test_figures_that_stay_the_same_or_change_by_one_step_are_told(patients, beds, is_told):
    moving = [5 + n % 2 for n in range(10)]
    stuck = reports("010001", [*moving, 4.3, *patients, *moving], [80] * 11 + beds + [80] * 10)
    line = f"NM 010001 from {WEEKS[11]} to {WEEKS[10 + len(patients)]} (4.5 of 90 beds)"
    assert told(stuck, *CALM).get("the same patients") == ([line] if is_told else None)


@each(("spells", "weeks"), [(2, 8), (4, 8), (4, 10)])
def test_figures_that_stay_the_same_several_times_are_told_each_time(spells, weeks):
    """Each of them makes the others likelier, and a figure repeats no other one."""
    cells = [4.1 + week % 40 / 10 for week in range(80)]
    firsts = [20 * spell + 3 for spell in range(spells)]
    for first in firsts:
        cells[first : first + weeks] = [9.1 + first] * weeks
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2021-01-01", periods=80, freq="7D")]
    # Its steps are unlike, so that they are no series that was filled in.
    stuck = reports(
        "010001",
        [round(cell + (week**2 % 7) / 2, 1) if cell < 9 else cell for week, cell in enumerate(cells)],
        90,
        days,
    )
    found = told(stuck, *CALM).get("the same patients")
    ends = [f"NM 010001 from {days[first]} to {days[first + weeks - 1]}" for first in firsts]
    assert [case.partition(" (")[0] for case in found] == ends


PASTED = [7.5, 8.1, 6.6, 9, 12.3, 11, 8.4, 7.7]


@each(
    ("pasted", "is_told"),
    [
        (PASTED, True),
        ([*PASTED[:4], SUPPRESSED, None, *PASTED[4:]], True),  # marks are no figures
        (PASTED[:7], False),
        ([*PASTED[:7], 7.8], False),
        ([4.5] * 8, False),  # which a small hospital may have
    ],
)
@each("hospital", ["010001", "010002"])
def test_patients_that_stand_in_two_places_are_told(pasted, is_told, hospital):
    """Those of other weeks, so that no two figures of a week are the same."""
    whole = [4.5] * 8 if pasted[0] == 4.5 else PASTED
    cells = {"010001": [4, *whole, 5, 4], "010002": [6]}
    cells[hospital] += [6, *pasted, 4]
    parts = [reports(name, series, weeks=WEEKS[: len(series)]) for name, series in cells.items()]
    end = WEEKS[len(cells[hospital]) - 2]
    line = f"NM {hospital} to {end}, and NM 010001 to {WEEKS[8]}"
    assert told(*parts, *CALM).get("patients of 8") == ([line] if is_told else None)


# What is told of figures that are the same in two places.
PASTES = ("two hospitals have", "patients of 8", "weeks of a")


def whole(kind, seed, hospitals=12):
    """Return honest reports in whole numbers: patients of a day, or the rounded average of a week."""
    rng, weeks = rng_for(52, kind, seed), 94
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2020-08-07", periods=weeks, freq="7D")]
    wave = np.exp(np.cumsum(rng.normal(0, 0.15, weeks)))
    parts = []
    for n in range(hospitals):
        level = 4 * 2 ** rng.uniform(0, 4) * (wave / wave.mean() if kind != "steady" else np.ones(weeks))
        patients = rng.poisson(level).astype(float)
        if kind == "averages":
            stays = np.convolve(rng.poisson(level.repeat(7)), np.ones(7) / 7)[: 7 * weeks]
            patients = stays.reshape(weeks, 7).mean(axis=1).round()
        patients[(patients > 0) & (patients < 4)] = SUPPRESSED
        beds = np.round(20 + level.max() + np.cumsum(rng.integers(-1, 2, weeks)))
        parts.append(reports(f"01{n:04}", patients.tolist(), beds.tolist(), days))
    return parts


@each("kind", ["steady", "wave", "averages"])
def test_of_honest_whole_numbers_no_paste_is_told(kind):
    """False alarm: 0.24, which is 0.01 for each of 8 files and 3 rules; it is a bound."""
    for seed in range(8):
        found = told(*whole(kind, seed))
        assert [(key, found[key]) for key in PASTES if key in found] == []


@each("kind", ["steady", "wave", "averages"])
@each(("weeks", "other", "later"), [(40, 3, 0), (40, 3, 7), (40, 0, 47)])
def test_whole_numbers_that_are_pasted_are_told(kind, weeks, other, later):
    """Those of another hospital, in the same weeks or in others, or of another time."""
    parts = sorted(whole(kind, 0), key=lambda part: -(part["patients"] > 0).sum())  # few are hidden
    parts[other].loc[later : later + weeks - 1, "patients"] = parts[0]["patients"].iloc[:weeks].to_numpy()
    found, hospital = told(*parts), parts[other]["hospital_pk"].iloc[0]
    assert [key for key in PASTES[:2] if any(hospital in case for case in found.get(key, []))]


@each(
    ("others", "zeros", "is_told"),
    [(10, 8, True), (9, 8, False), (10, 7, False), (SUPPRESSED, 20, False)],
)
@each("at", [0, 20])
def test_no_patients_for_long_where_many_were_are_told(others, zeros, is_told, at):
    patients = [others] * at + [0] * zeros + [others] * (40 - at - zeros)
    line = f"NM 010001 from {WEEKS[at]} to {WEEKS[at + zeros - 1]}"
    assert told(reports("010001", patients), *CALM).get("no patients in") == ([line] if is_told else None)


def test_bed_counts_that_jump_are_told_those_first_that_change_the_most():
    often = reports("010001", 4, [100] * 20 + [200, NAN, 100] + [100] * 17)
    once = reports("010002", 40, [100] * 20 + [50] * 20)
    assert "bed counts 2" not in told(reports("010001", 3, [100] * 20 + [51] * 20), *CALM)
    assert told(often, once, *CALM)["bed counts 2"] == [
        f"NM 010002 1 times, 100 to 50 in {WEEKS[20]}",
        f"NM 010001 2 times, 100 to 200 in {WEEKS[20]}",
    ]


def test_figures_far_apart_in_time_do_not_jump():
    def found(unknown):
        cells = [100] * 10 + [NAN] * unknown + [20] * (30 - unknown)
        return {"bed counts 2", "patients 5 times,"} & told(reports("010001", cells, cells), *CALM).keys()

    assert len(found(3)) == 2
    assert not found(4)


@each(("times", "is_told"), [(10.5, True), (1 / 9.5, True), (10.6, False), (1 / 9.4, False)])
def test_bed_counts_that_lose_or_gain_a_point_are_told_after_any_gap(times, is_told):
    """Patients, who do fall that far in the eight weeks that the pinned file lacks, are not."""
    cells = [100] * 10 + [NAN] * 20 + [100 * times] * 10
    found = told(reports("010001", cells, cells), *CALM)
    line = f"NM 010001 1 times, 100 to {100 * times:g} in {WEEKS[30]}"
    assert found.get("bed counts 2") == ([line] if is_told else None)
    assert "patients 5 times," not in found


@each(("times", "is_told"), [(5, True), (4.9, False), (1 / 5, True)])
def test_patients_of_one_hospital_that_jump_are_told(times, is_told):
    patients = [40, 50] * 10 + [SUPPRESSED, 0, NAN] + [50 * times + week % 2 / 8 for week in range(17)]
    line = f"NM 010001 1 times, 50 to {50 * times:g} in {WEEKS[23]}"
    found = told(reports("010001", patients), *CALM)
    assert found.get("patients 5 times,") == ([line] if is_told else None)


@each("unknown", [NAN, -5, None])
@each("column", ["patients", "beds"])
def test_what_is_carried_forward_for_long_is_told_by_hospital_and_weeks(unknown, column):
    def found(gap, limit=4):
        cells = [20] * 10 + [unknown] * gap + [20 + week % 2 for week in range(30 - gap)]
        if column == "patients":
            return told(reports("010001", cells), *CALM, limit=limit).get("patients carried forward")
        if unknown is None:
            cells = [NAN if cell is None else cell for cell in cells]
        return told(reports("010001", [3, 4] * 20, cells), *CALM, limit=limit).get("beds carried forward")

    assert found(4) is found(9, limit=9) is None
    assert found(5) == [f"NM 010001 for 5 weeks after {WEEKS[9]}"]
    assert unknown is None or found(30) == [f"NM 010001 for 30 weeks after {WEEKS[9]}"]


@each(
    ("column", "times", "count", "of", "unknown", "rule"),
    [
        ("patients", 5, 4, 8, 1, "50% of patients 5"),
        ("patients", 1 / 5, 4, 8, 1, "50% of patients 5"),
        ("patients", 4.9, 8, 8, 1, None),
        ("patients", 5, 3, 8, 1, None),
        ("patients", 5, 4, 4, 1, None),
        ("patients", 3, 3, 8, 0, "30% of patients 3"),
        ("patients", 3, 2, 8, 0, None),
        ("patients", 3, 8, 8, 1, None),
        ("beds", 1.2, 4, 8, 0, "50% of beds 1.2"),
        ("beds", 1.5, 2, 8, 0, "25% of beds 1.5"),
        ("beds", 1.19, 8, 8, 0, None),
    ],
)
def test_figures_that_change_their_unit_are_told(column, times, count, of, unknown, rule):
    def part(n):
        usual = [3000] * 20 + [NAN] * unknown + [3000 * (times if n < count else 1)] * (20 - unknown)
        return reports(f"01000{n}", *(usual, 9000) if column == "patients" else ([5] * 40, usual))

    found = in_order(table(*(part(n) for n in range(of))), "patients", "beds")
    looks = {what: rule for what, rule in rules(4).items() if " of the hospitals have " in what}
    said = {what: cases for what, rule in looks.items() if (cases := rule(found))}
    if rule:
        [what] = [what for what in said if all(word in what for word in rule.split(" of "))]
        assert said[what] == [f"NM in {WEEKS[20 + unknown]} ({count} of {of})"]
    else:
        assert not said


def test_hospitals_of_few_patients_change_them_often():
    rows = [[2] * 20 + [9] * 20 for _ in range(8)]
    assert "30% of the" not in told(*(reports(f"01000{n}", row) for n, row in enumerate(rows)))


@each(
    ("had", "now", "of", "fell", "is_told"),
    [
        (10, SUPPRESSED, 10, 5, True),
        (10, 0, 11, 5, False),  # not half
        (9, 0, 10, 5, False),
        (10, 0, 4, 4, False),  # too few hospitals to tell
        (4, 0, 10, 9, True),
        (SUPPRESSED, 0, 10, 9, True),
        (SUPPRESSED, 0, 10, 8, False),  # not nine tenths
    ],
)
def test_patients_that_fall_to_none_in_most_hospitals_of_a_state_at_once_are_told(
    had, now, of, fell, is_told
):
    rows = [[had] * 20 + [now if n < fell else had] + [had] * 19 for n in range(of)]
    parts = (reports(f"01{n:04}", row, 50 + 9 * n) for n, row in enumerate(rows))
    assert told(*parts).get("most of the") == ([f"NM in {WEEKS[20]} ({fell / of:.0%})"] if is_told else None)


@each("unknown", [NAN, -5])
@each("column", ["patients", "beds"])
def test_what_is_unknown_for_the_first_weeks_of_a_hospital_is_told(unknown, column):
    def found(weeks, limit=4, begins=3):
        cells = [unknown] * weeks + [20 + week % 2 for week in range(40 - begins - weeks)]
        other = [3, 4] * 20 if column == "beds" else [100] * 40
        patients, beds = (cells, other) if column == "patients" else (other, cells)
        late = reports("010001", patients, beds, WEEKS[begins:])
        return told(late, *CALM, limit=limit).get(f"{column} unknown for")

    assert found(4) is found(9, limit=9) is None
    assert found(5) == [f"NM 010001 for 5 weeks before {WEEKS[8]}"]


def test_patients_that_repeat_those_before_in_a_whole_state_are_told():
    def parts(repeats, hospitals=3, state="NM"):
        rows = [7 + week + n / 8 for n in range(hospitals) for week in range(40)]
        for n in range(repeats):
            rows[2 * n + 1] = rows[2 * n]
        return [
            reports(f"01000{n}", rows[40 * n : 40 * n + 40], 90 + n, state=state) for n in range(hospitals)
        ]

    def found(*asked):
        return told(*parts(*asked)).get("more than 5%")

    assert found(5) is found(9, 2) is None  # of 117, and of less than a hundred
    assert found(6) == ["5% in NM"]
    assert told(*parts(6), *parts(12, 3, "PA"))["more than 5%"] == ["10% in PA", "5% in NM"]


@each(("changes", "is_told"), [(2, True), (3, False)])
def test_bed_counts_that_hardly_change_in_a_whole_state_are_told(changes, is_told):
    # 117 counts have one before; one of 40 that differs changes twice
    first = [100 + (week == 20) for week in range(40)]
    second = [120 + (week >= 20) * (changes == 3) for week in range(40)]
    parts = [reports(f"01000{n}", 9 + n, beds) for n, beds in enumerate((first, second, 140))]
    assert told(*parts).get("more than 98%") == (["98% in NM"] if is_told else None)


@each(
    ("usual", "times", "weeks", "hospitals", "is_told"),
    [
        (15, 1 / 1.5, 2, 3, True),  # as a sum of four days or less, divided by seven
        (15, 1.4, 2, 3, False),
        (15, 1.5, 1, 3, False),
        (15, 1.5, 2, 2, False),
        (9, 1 / 1.5, 2, 3, False),
    ],
)
def test_many_single_figures_that_are_far_from_those_on_both_sides_are_told(
    usual, times, weeks, hospitals, is_told
):
    row = [usual * (times if week in (10, 20)[:weeks] else 1) for week in range(40)]
    found = told(
        *(reports(f"01000{n}", row) for n in range(hospitals)), *(part.assign(state="AZ") for part in CALM)
    )
    assert found.get("patients 1.5 times,") == (["5% in NM"] if is_told else None)


@each("times", [1.5, 0.6])
@each(("hospitals", "of", "is_told"), [(3, 6, True), (3, 7, False), (5, 5, True), (4, 4, False)])
def test_a_week_of_a_state_that_is_far_from_those_on_both_sides_is_told(times, hospitals, of, is_told):
    def row(hospital):
        usual = 15 + 3 * hospital
        return [usual * (times if week == 20 and hospital < hospitals else 1) for week in range(40)]

    parts = [reports(f"01000{hospital}", row(hospital)) for hospital in range(of)]
    found = told(*parts).get("patients 1.5 times,")
    assert found == ([f"NM in {WEEKS[20]} ({hospitals} of {of})"] if is_told else None)


@each("unknown", [NAN, -5, None])
def test_patients_that_are_often_unknown_are_told(unknown):
    def found(weeks):
        cells = [unknown if week % 3 == 1 and week < weeks else 5 + week % 2 for week in range(40)]
        cells[2] = unknown
        return told(reports("010001", cells), *CALM).get("patients unknown in")

    assert found(37) is None  # 13 of 40
    assert found(40) == ["NM 010001 in 35%"]


def test_suppressed_patients_are_known_and_suppressed_beds_are_not():
    calm = [round(4.1 + week % 2 + week // 2 / 10, 1) for week in range(40)]
    assert told(reports("010001", [5.1, 6] * 3 + [5.2, 7] * 2 + [SUPPRESSED] * 30, 50), *CALM) == {}
    hidden = told(reports("010001", calm, [9] * 10 + [SUPPRESSED] * 30), *CALM)
    assert hidden == {"beds carried forward": [f"NM 010001 for 30 weeks after {WEEKS[9]}"]}


def test_a_state_with_far_other_patients_per_bed_than_the_median_one_is_told():
    def found(beds, states=("CA", "NM", "PA"), weeks=40, hospitals=3):
        parts = [
            reports(f"{n}1000{k}", 6 + n, beds + k if state == "NM" else 100 + k, WEEKS[:weeks], state)
            for n, state in enumerate(states)
            for k in range(hospitals)
        ]
        return told(*parts).get("3 times, or")

    assert found(100) is found(300) is found(700, ("CA", "NM")) is found(700, weeks=33) is None
    assert found(700, weeks=25, hospitals=4)  # a hundred figures
    assert found(700) == ["NM has 0.011, the median state 0.064"]
    assert found(20) == ["NM has 0.36, the median state 0.084"]


@each(("weeks", "is_told"), [(8, False), (14, True)])
@each("pasted", [None, 3])
def test_of_few_different_figures_a_longer_paste_is_told(weeks, is_told, pasted):
    """It need not be twice as long, nor does it matter that another hospital is there twice."""
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2021-01-01", periods=60, freq="7D")]
    rows = [rng_for(52, "few", n).integers(4, 12, 60).astype(float).tolist() for n in range(4)]
    rows[1][40 : 40 + weeks] = rows[0][5 : 5 + weeks]
    if pasted:
        rows[pasted][20:] = rows[2][:40]
    parts = [reports(f"01{n:04}", row, 90, days) for n, row in enumerate(rows)]
    found = told(*parts).get("patients of 8", [])
    assert sorted(case[:9] for case in found) == ["NM 010001"] * is_told + ["NM 010003"] * bool(pasted)


@each("rule", ["the same patients", "more than 90%", "as many patients"])
def test_of_equal_cases_the_first_of_the_file_comes_first(rule):
    """As no sort without that promise leaves them, of few rows or of many."""
    larger = rng_for(52, "equal").permutation(24) % 2
    states = [first + second for first in "AB" for second in "ABCDEFGHIJKL"]
    made = {
        "the same patients": lambda n, more: reports(
            f"01{n:04}", [*unlike(n)[:20], *[9.9] * (8 + more)], 100, WEEKS[: 28 + more]
        ),
        "more than 90%": lambda n, more: reports(f"01{n:04}", [SUPPRESSED] * 40, 100 + more),
        "as many patients": lambda n, more: reports(
            "010001", [*[50] * (5 + more), *[5] * 20], 50, WEEKS[: 25 + more], states[n]
        ),
    }
    parts = [made[rule](n, int(more)) for n, more in enumerate(larger)]
    order = sorted(range(24), key=lambda n: -larger[n])
    expected = [states[n] if rule == "as many patients" else f"NM 01{n:04}" for n in order]
    found = told(*parts)[rule]
    assert [case[: len(name)] for case, name in zip(found, expected, strict=True)] == expected


def test_of_hospitals_whose_figures_stay_often_a_long_stay_is_seldom_told():
    """The longest stay does not count among the others, of which there are few.

    Measured are 3 of 25 other such files; that of 8 more than 4 are told has then the probability 1e-3.
    """
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2020-08-07", periods=94, freq="7D")]
    found = []
    for seed in range(8):
        rng = rng_for(52, "stays", seed)
        moves = rng.choice([-1.0, 1.0], (30, 94)) * (rng.random((30, 94)) < 0.15)
        rows = 40 + moves.cumsum(axis=1)
        files = told(*(reports(f"01{n:04}", row.tolist(), 90, days) for n, row in enumerate(rows)))
        found.append("the same patients" in files)
    assert sum(found) <= 4
    [line] = told(reports("010000", [40.0] * 94, 90, days), *CALM)["the same patients"]
    assert line == f"NM 010000 from {days[0]} to {days[-1]} (40 of 90 beds)"
