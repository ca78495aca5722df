"""What is told of reports that are read as they are, each at its limit and just within it."""

import warnings

import pandas as pd

from private_experts.replication.study.data.hospital_reports import SUPPRESSED
from private_experts.replication.study.data.remarks import remarks
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


def told(*parts, limit=4):
    """Return what is told, by the first three words of its rule."""
    found = remarks(table(*parts), "patients", "beds", limit)
    return {" ".join(what.split()[:3]): cases for what, cases in found.items()}


# Unlike in all else, so that nothing is told of them.
CALM = [
    reports(f"99000{n}", [n + 5 + week % 3 + week / 128 for week in range(40)], 60 + 8 * n) for n in range(8)
]


def test_nothing_is_told_of_reports_of_which_nothing_is_wrong():
    assert told(*CALM) == {}


@each("figure", [NAN, -5, 0, 1e308, 5e-324])
def test_files_of_any_figures_are_read(figure):
    """Where none is known, there is nothing to tell of either."""
    cells = [figure, figure] * 20
    with warnings.catch_warnings(action="error"):
        told(reports("010001", cells, cells), reports("010002", cells[::-1], 7), reports("010003", 7, cells))
        assert told(reports("010001", [NAN] * 40, [NAN] * 40)) == {}


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
        ((17, 40), (0, 23), 150, {}, True),
        ((0, 23), (17, 40), 150, {"state": "AZ"}, False),
        ((0, 23), (17, 40), 115, {"state": "AZ"}, True),  # with one bed count
        ((0, 40), (0, 40), 115, {}, True),
        ((0, 40), (0, 40), 116, {}, False),
        ((0, 40), (0, 40), 115, {"city": "Gallup"}, False),
        # Where no city is known, it is sought in its state.
        ((0, 20), (23, 40), 150, {"city": NAN}, True),
        ((0, 20), (23, 40), 150, {"city": NAN, "state": "AZ"}, False),
        ((0, 20), (23, 40), 150, None, True),  # without a column of cities
    ],
)
def test_a_hospital_under_two_ids_is_told_however_long_both_report(mine, others, beds, other, is_told):
    same = {"hospital_name": "ST MARY", "city": NAN if other and other.get("city") is NAN else "Taos"}
    parts = table(
        reports("010001", 5, 100, WEEKS[slice(*mine)], **same),
        reports("010002", 6, beds, WEEKS[slice(*others)], **(same | (other or {}))),
    )
    found = told(parts.drop(columns="city") if other is None else parts)
    assert ("one name under" in found) is is_told


@each(
    ("copied", "own", "is_told"),
    [(5, 4, True), (5, 5, False), (4, 0, False), (8, 0, True)],
)
@each("gap", [1, 9])
def test_a_week_that_is_copied_is_told_however_far(copied, own, is_told, gap):
    def patients(n):
        row = [7 + n + week / 128 for week in range(40)]
        if n < copied:
            row[20 + gap] = row[20]
        return row

    parts = [reports(f"0100{n:02}", patients(n), 60 + 8 * n) for n in range(copied + own)]
    line = f"NM in {WEEKS[20]} and {WEEKS[20 + gap]} ({copied} of {copied + own})"
    assert told(*parts).get("weeks of a") == ([line] if is_told else None)


@each("row", [[7] * 40, [SUPPRESSED] * 40, [0] * 40])
def test_every_week_that_is_copied_is_told_once(row):
    found = told(*(reports(f"01000{n}", row, 60 + 8 * n) for n in range(5))).get("weeks of a", [])
    assert len(found) == (39 if row[0] > 0 else 0)


@each(
    ("week", "left", "of", "is_told"),
    [
        (20, 4, 9, True),
        (20, 5, 10, False),
        (20, 0, 3, True),
        (20, 0, 2, False),  # few may be missing
        (0, 4, 9, True),
        (39, 4, 9, True),
    ],
)
@each("unknown", [NAN, None])
def test_a_week_of_few_reports_is_told(week, left, of, is_told, unknown):
    cells = [[7 + n + at / 128 for at in range(40)] for n in range(of)]
    for row in cells[left:]:
        row[week] = unknown
    parts = (reports(f"0100{n:02}", row, 60 + 8 * n) for n, row in enumerate(cells))
    is_told &= left > 0 or unknown is NAN  # a week without rows is no round
    assert told(*parts).get("weeks in which") == (
        [f"NM in {WEEKS[week]} ({left}, {of} around)"] if is_told else None
    )


@each(("patients", "weeks", "is_told"), [(7, 5, True), (7, 4, False), (7.5, 5, True), (6.9, 9, False)])
def test_hospitals_that_are_full_in_several_weeks_are_told(patients, weeks, is_told):
    row = [patients if 10 <= week < 10 + weeks else 5 + week / 128 for week in range(40)]
    line = f"NM 010001 in {weeks}, {patients:g} of 7 beds in {WEEKS[10]}"
    found = told(reports("010001", row, 7), *CALM).get("as many patients")
    assert found == ([line] if is_told else None)


@each(("beds", "is_told"), [(116, False), (115, True), (85, True), (84, False)])
def test_hospitals_of_one_bed_count_that_follow_each_other_are_told(beds, is_told):
    parts = (reports("010001", 5, 100, WEEKS[:20]), reports("010002", 6, beds, WEEKS[20:]))
    line = f"NM 010001 to {WEEKS[19]}, NM 010002 from {{}}"
    assert told(*parts, *CALM).get("one bed count") == ([line.format(WEEKS[20])] if is_told else None)
    for gap, late in ((3, is_told), (4, False)):
        parts = (parts[0], reports("010002", 6, beds, WEEKS[20 + gap :]))
        said = [line.format(WEEKS[20 + gap])] if late else None
        assert told(*parts, *CALM).get("one bed count") == said


@each(("count", "of", "says"), [(2, 8, ""), (3, 13, ""), (3, 12, "3 of 12 in NM after {}, and {} begin")])
@each("again", [False, True])
def test_many_hospitals_that_end_are_told_whether_others_begin_or_not(count, of, says, again):
    parts = [reports(f"01{n:04}", n, 50 + 9 * n, WEEKS[: 20 if n < count else 40]) for n in range(of)]
    parts += [reports(f"02{n:04}", n, 20 + 9 * n, WEEKS[20:]) for n in range(count * again)]
    assert told(*parts).get("many hospitals end") == ([says.format(WEEKS[19], 3 * again)] if says else None)


def test_hospitals_with_the_same_figures_are_told():
    def found(weeks):
        other = [7 + week % 2 + 0.5 * (week >= weeks) for week in range(40)]
        mine = [7 + week % 2 for week in range(40)]
        return told(reports("010001", mine), reports("010002", other)).get("two hospitals have")

    assert found(4) is None
    assert found(5) == ["NM 010001 and NM 010002 in 5 weeks"]
    many = [
        reports(f"01000{n}", [7 + week % 2 for week in range(weeks)]) for n, weeks in enumerate((40, 6, 9))
    ]
    assert told(*many)["two hospitals have"][0] == "NM 010000 and NM 010002 in 9 weeks"


@each(
    ("other", "weeks", "times", "is_told"),
    [
        (155, (10, 40), 1, True),
        (145, (10, 40), 1, False),  # not far apart
        (155, (10, 13), 1, True),
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
        ([4.5] * 8, [90] * 8, True),
        ([4.5] * 8, [90, 95] * 4, True),  # stuck alone
        ([4.5] * 7 + [4.6], [90] * 8, False),
        ([4.5] * 4 + [None] + [4.5] * 4, [90] * 9, True),  # a gap is no change
        ([SUPPRESSED] * 8, [90] * 8, False),
        ([0] * 8, [90] * 8, False),
    ],
)
def test_figures_that_stay_the_same_are_told(patients, beds, is_told):
    moving = [5 + n % 2 for n in range(10)]
    stuck = reports("010001", [*moving, *patients, *moving], [80] * 10 + beds + [80] * 10)
    line = f"NM 010001 from {WEEKS[10]} to {WEEKS[9 + len(patients)]} (4.5 of 90 beds)"
    assert told(stuck, *CALM).get("the same patients") == ([line] if is_told else None)


@each(
    ("others", "zeros", "is_told"),
    [(10, 8, True), (9, 8, False), (10, 7, False), (SUPPRESSED, 20, False)],
)
@each("at", [0, 20])
def test_no_patients_for_long_where_many_were_are_told(others, zeros, is_told, at):
    patients = [others] * at + [0] * zeros + [others] * (40 - at - zeros)
    line = f"NM 010001 from {WEEKS[at]} to {WEEKS[at + zeros - 1]}"
    assert told(reports("010001", patients), *CALM).get("no patients in") == ([line] if is_told else None)


def test_bed_counts_that_jump_are_told_those_of_most_jumps_first():
    once = reports("010001", 3, [100] * 20 + [50] * 20)
    often = reports("010002", 4, [100] * 20 + [200, NAN, 100] + [100] * 17)
    assert told(reports("010001", 3, [100] * 20 + [51] * 20), *CALM) == {}
    assert told(once, often, *CALM)["bed counts 2"] == [
        f"NM 010002 2 times, 100 to 200 in {WEEKS[20]}",
        f"NM 010001 1 times, 100 to 50 in {WEEKS[20]}",
    ]


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


@each(("times", "is_told"), [(5, True), (4.9, False), (1 / 5, True), (1 / 4.9, False)])
def test_patients_that_change_their_unit_are_told(times, is_told):
    def changed(count, of=8):
        rows = [[(100 + n) * (times if week >= 20 else 1) for week in range(40)] for n in range(of)]
        return told(*(reports(f"01000{n}", row) if n < count else CALM[n] for n, row in enumerate(rows)))

    assert changed(5).get("half of the") == ([f"NM in {WEEKS[20]} ({times:.2g} times)"] if is_told else None)
    assert "half of the" not in changed(4) | changed(4, of=4)
    assert ("half of the" in changed(5, of=5)) is is_told


@each(
    ("had", "now", "of", "fell", "is_told"),
    [
        (10, 0, 10, 5, True),
        (10, SUPPRESSED, 10, 5, True),
        (10, 0, 11, 5, False),  # not half
        (9, 0, 10, 5, False),
        (10, 0, 4, 4, False),  # too few hospitals to tell
        (4, 0, 10, 9, True),
        (SUPPRESSED, 0, 10, 9, True),
        (SUPPRESSED, 0, 10, 8, False),  # not nine tenths
        (4, SUPPRESSED, 10, 10, False),
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


@each("unknown", [NAN, -5, None])
def test_patients_that_are_often_unknown_are_told(unknown):
    def found(weeks):
        cells = [unknown if week % 3 == 1 and week < weeks else 5 + week % 2 for week in range(40)]
        cells[2] = unknown
        return told(reports("010001", cells), *CALM).get("patients unknown in")

    assert found(37) is None  # 13 of 40
    assert found(40) == ["NM 010001 in 35%"]


def test_suppressed_patients_are_known_and_suppressed_beds_are_not():
    calm = [3, 4] * 20
    assert told(reports("010001", [5, 6] * 5 + [SUPPRESSED] * 30), *CALM) == {}
    hidden = told(reports("010001", calm, [5] * 10 + [SUPPRESSED] * 30), *CALM)
    assert hidden == {"beds carried forward": [f"NM 010001 for 30 weeks after {WEEKS[9]}"]}


def test_a_state_with_far_other_patients_per_bed_than_the_median_one_is_told():
    def found(beds, states=("CA", "NM", "PA"), weeks=40):
        parts = [
            reports(f"{n}1000{k}", 6 + n, beds + k if state == "NM" else 100 + k, WEEKS[:weeks], state)
            for n, state in enumerate(states)
            for k in range(3)
        ]
        return told(*parts).get("3 times, or")

    assert found(100) is found(300) is found(700, ("CA", "NM")) is found(700, weeks=33) is None
    assert found(700) == ["NM has 0.011, the median state 0.064"]
    assert found(20) == ["NM has 0.36, the median state 0.084"]
