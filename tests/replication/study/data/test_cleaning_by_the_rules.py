"""Cleaning against an independent reading of its rules."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import SUPPRESSED
from tests.replication.study.data.weekly import LAX, NAN, WEEKS, clean_nm


def by_the_rules(reports, state, rules):
    """Clean a state in dictionaries, rule by rule; return density, smallest beds, hospitals and counts."""
    rows = [
        row
        for row in reports.to_dict("records")
        if row["state"] == state and rules.first_week <= row["collection_week"] <= rules.last_week
    ]
    weeks = sorted({row["collection_week"] for row in rows})
    count = defaultdict(int, rows=len(rows), weeks=len(weeks))
    reported = defaultdict(dict)
    for row in rows:
        figures = tuple(None if math.isnan(row[name]) else row[name] for name in ("patients", "beds"))
        if row["collection_week"] in reported[row["hospital_pk"]]:
            assert reported[row["hospital_pk"]][row["collection_week"]] == figures
            count["duplicate_rows_dropped"] += 1
        reported[row["hospital_pk"]][row["collection_week"]] = figures
    count["hospitals_reporting"] = len(reported)
    faults = defaultdict(int)
    density, beds_of = {}, {}
    for hospital in sorted(reported):
        life = [week for week in weeks if min(reported[hospital]) <= week <= max(reported[hospital])]
        patients, beds, part = {}, {}, 0.0
        for week, (p, b) in reported[hospital].items():
            count["patients_suppressed"] += p == SUPPRESSED
            count["patients_missing"] += p is None
            count["patients_negative"] += p is not None and p < 0 and p != SUPPRESSED
            count["beds_suppressed"] += b == SUPPRESSED
            count["beds_missing"] += b is None
            count["beds_not_positive"] += b is not None and b <= 0 and b != SUPPRESSED
            p = rules.suppressed_value if p == SUPPRESSED else p
            if p is not None and p >= 0:
                patients[week] = p
                part += p
            if b is not None and b > 0:
                beds[week] = b
        counts = [beds[week] for week in sorted(beds)]
        for place, week in enumerate(sorted(beds)):
            around = [
                (counts[place - back], counts[place + on])
                for back, on in ((1, 1), (2, 1), (1, 2))
                if back <= place < len(counts) - on
            ]
            high = any(counts[place] >= 1.15 * max(sides) for sides in around)
            low = any(1.15 * counts[place] <= min(sides) for sides in around)
            count["beds_briefly_high"] += high
            count["beds_briefly_low"] += low
            faults[week] += high or low
            if (high or low) and rules.mend_beds:
                del beds[week]
        known = [*beds.values()]
        if part < rules.participation_minimum:
            count["left_out_participation"] += 1
        elif not (patients and beds):
            count["left_out_no_beds"] += 1
        elif min(known) < rules.smallest_beds:
            count["left_out_small"] += 1
        else:
            last_patients, last_beds = 0.0, beds[min(beds)]
            density[hospital], beds_of[hospital] = dict.fromkeys(weeks, 0.0), {}
            for week in life:
                last_patients, last_beds = patients.get(week, last_patients), beds.get(week, last_beds)
                density[hospital][week] = min(1.0, last_patients / last_beds)
                beds_of[hospital][week] = last_beds
                count["reports_missing"] += week not in reported[hospital]
                count["more_patients_than_beds"] += last_patients > last_beds
            count["opened_late"] += weeks[0] not in life
            count["closed_early"] += weeks[-1] not in life
    count["hospitals"] = len(density)
    count["bed_faults_most"] = max(faults.values(), default=0)
    count["bed_faults_week"] = min(
        (week for week, many in faults.items() if many == max(faults.values())), default=""
    )
    everyone = [b for by_week in beds_of.values() for b in by_week.values()]
    smallest = [
        min(
            (by_week[week] for by_week in beds_of.values() if week in by_week),
            default=min(everyone, default=NAN),
        )
        for week in weeks
    ]
    return (
        [[density[h][week] for h in sorted(density)] for week in weeks],
        smallest,
        tuple(sorted(density)),
        count,
    )


PATIENT_FIGURES = st.sampled_from([NAN, SUPPRESSED, -2.0, 0.0, 1.0, 4.3, 11.0, 60.0])
BED_FIGURES = st.sampled_from([NAN, SUPPRESSED, -7.0, 0.0, 5.0, 9.7, 40.0])


@st.composite
def tables(draw):
    reports = draw(
        st.dictionaries(
            st.tuples(st.sampled_from(["010001", "010002", "990003"]), st.sampled_from(WEEKS)),
            st.tuples(PATIENT_FIGURES, BED_FIGURES),
            min_size=1,
            max_size=15,
        )
    )
    rows = [(hospital, week, "NM", *figures) for (hospital, week), figures in reports.items()]
    rows += draw(st.lists(st.sampled_from(rows), max_size=3))  # identical duplicates
    rows += [("050001", week, "CA", 1.0, 9.0) for week in draw(st.sets(st.sampled_from(WEEKS)))]
    names = ["hospital_pk", "collection_week", "state", "patients", "beds"]
    return pd.DataFrame(draw(st.permutations(rows)), columns=names)


RULES = st.builds(
    replace,
    st.just(LAX),
    suppressed_value=st.sampled_from([0.0, 2.0, 4.0]),
    participation_minimum=st.sampled_from([0.0, 5.0, 20.0]),
    smallest_beds=st.sampled_from([0.0, 9.7, 10.0]),
    mend_beds=st.booleans(),
    first_week=st.sampled_from([LAX.first_week, WEEKS[1]]),
    last_week=st.sampled_from([LAX.last_week, WEEKS[3]]),
)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(reports=tables(), rules=RULES)
def test_cleaning_agrees_with_the_rules_read_one_by_one(reports, rules):
    inside = reports[reports["collection_week"].between(rules.first_week, rules.last_week)]
    ours = inside[inside["state"] == "NM"]
    usable = ours["patients"].ge(0)  # suppressed figures alone tell nothing
    if inside.empty or (len(ours) and not (usable.any() and ours["beds"].gt(0).any())):
        with pytest.raises(InputError):
            clean_nm(reports, rules)
        return
    panel, quality = clean_nm(reports, rules)
    density, smallest, hospitals, count = by_the_rules(reports, "NM", rules)
    assert panel.hospitals == hospitals
    np.testing.assert_array_equal(panel.density, np.reshape(density, panel.density.shape))
    np.testing.assert_array_equal(panel.smallest_beds, smallest)
    counted = {name: value for name, value in quality.row().items() if isinstance(value, int)}
    del counted["weeks_missing_between"]
    assert counted == {name: count[name] for name in counted}
    assert quality.bed_faults_week == (count["bed_faults_week"] if count["bed_faults_most"] else "")
