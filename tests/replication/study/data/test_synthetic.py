from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.synthetic import (
    ADMISSIONS,
    ADULT_BEDS,
    COLUMNS,
    CONFIRMED,
    INPATIENT_BEDS,
    NUMBERS,
    STATES,
    SUPPRESSED,
    SUSPECTED,
    TEXTS,
    TOTAL_BEDS,
    reports,
)
from tests.each import each

ROW = ["hospital_pk", "collection_week"]


@pytest.fixture(scope="module")
def pennsylvania() -> pd.DataFrame:
    return reports(["PA"], 148, seed=1)


def test_a_seeds_reports_stay_what_they_are_and_another_seed_has_others():
    values = reports(["VI"], 30, 3, {"VI": 40})[list(NUMBERS)]
    shown = values.where(values > 0).sum().round(1)
    assert shown.tolist() == [190691.4, 156847.6, 20234.7, 15796.8, 169637.8, 15508.0]
    assert (len(values), *(values == SUPPRESSED).sum()) == (1177, 0, 0, 199, 229, 0, 342)
    pd.testing.assert_frame_equal(reports(["NM", "RI"], 30, 7), reports(["NM", "RI"], 30, 7))
    assert not reports(["NM"], 30, 7).equals(reports(["NM"], 30, 8))


def test_the_file_of_a_seed_is_the_same_to_the_last_byte(pennsylvania):
    assert sha256(pennsylvania.to_csv(index=False).encode()).hexdigest()[:12] == "e60c7de077bf"
    # of no few hospitals, so that all weeks are there, and the absurd rows of each kind can be counted
    rows = [reports(["VI"], weeks, 1, {"VI": 10}) for weeks in (199, 200)]
    assert [len(each) for each in rows] == [1991, 2002]


@each("wrong", [([], 3, 1), (["PA"], 0, 1), (["PA"], 3, -1)])
def test_no_state_no_week_and_a_negative_seed_are_refused(wrong):
    states, weeks, seed = wrong
    says = f"{len(states)} states, {weeks} weeks, seed {seed}: write 1 or more of both, and no negative seed"
    with pytest.raises(InputError) as error:
        reports(*wrong)
    assert str(error.value) == says


def test_a_states_rows_do_not_depend_on_the_other_states():
    alone = reports(["NM"], 20, 3)
    together = reports(["RI", "NM", "GU", "NM"], 20, 3, {"RI": 50})
    among = together[together["state"] == "NM"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)
    assert list(dict.fromkeys(together["state"])) == ["RI", "NM", "GU"]


def test_columns_weeks_and_names_are_the_official_export_s(pennsylvania):
    assert tuple(pennsylvania.columns) == COLUMNS == TEXTS + NUMBERS
    weeks = sorted(set(pennsylvania["collection_week"]))
    assert (len(weeks), weeks[0], weeks[-1]) == (148, "2020/08/07", "2023/06/02")
    assert set(pd.to_datetime(weeks, format="%Y/%m/%d").day_name()) == {"Friday"}
    assert pennsylvania["hospital_pk"].str.fullmatch(r"\d\d9\d{3}").all()
    assert pennsylvania["hospital_name"].str.fullmatch(r"SYNTHETIC HOSPITAL PA-\d{3}").all()
    assert set(pennsylvania["city"]) == {"SYNTHETIC"}
    assert set(pennsylvania["state"]) == {"PA"}
    assert pennsylvania[list(NUMBERS)].dtypes.eq(np.float64).all()


def test_no_value_between_0_and_4_is_shown(pennsylvania):
    values = pennsylvania[list(NUMBERS)]
    assert not ((values > 0) & (values < 4)).any(axis=None)
    assert (values[[SUSPECTED, CONFIRMED, ADMISSIONS]] == SUPPRESSED).any().all()
    assert not ((values < 0) & (values != SUPPRESSED)).drop(columns=ADULT_BEDS).any(axis=None)


def test_every_hospital_of_a_state_reports():
    everywhere = reports(list(STATES), 2, 0)
    assert everywhere.groupby("state")["hospital_pk"].nunique().to_dict() == STATES
    per_key = everywhere.groupby("hospital_pk")["hospital_name"].nunique()
    assert (len(per_key), per_key.max()) == (sum(STATES.values()), 1)
    assert len(STATES) == 50 + 2 + 4
    assert reports(["NM", "PA"], 3, 0, {"NM": 7})["hospital_pk"].nunique() == 7 + STATES["PA"]


@each(("state", "weeks"), [("PA", 148), ("RI", 2)])
def test_what_the_cleaning_must_repair_is_there(state, weeks):
    frame = reports([state], weeks, 4)
    twice = frame.duplicated(ROW)
    assert twice.any()
    assert (frame[twice].index - 1).isin(frame[frame.duplicated(ROW, keep="last")].index).all()
    assert frame.duplicated().sum() == twice.sum()  # identical ones
    once = frame[~twice]
    beds, patients = once[ADULT_BEDS], once[CONFIRMED]
    assert ((beds < 0) & (beds != SUPPRESSED)).sum() == 1
    assert ((patients > beds) & (beds > 0)).sum() == 1
    assert 1 <= (beds == 0).sum() < 0.01 * len(once) + 2


def test_absurd_rows_do_not_reach_the_smallest_territories():
    frame = reports(["AS", "GU", "MP", "VI"], 148, 2)
    assert not frame.duplicated().any()
    assert ((frame[ADULT_BEDS] > 0) | (frame[ADULT_BEDS] == SUPPRESSED) | frame[ADULT_BEDS].isna()).all()


def test_values_are_plausible(pennsylvania):
    shown = pennsylvania[list(NUMBERS)].mask(lambda values: values < 4)
    beds = shown.groupby(pennsylvania["hospital_pk"])[ADULT_BEDS].median()
    assert beds.min() >= 4
    assert 30 < beds.median() < 110
    assert beds.max() < 3000
    assert not (shown[SUSPECTED] < shown[CONFIRMED]).any()
    assert not (shown[TOTAL_BEDS] < shown[ADULT_BEDS]).any()
    assert not (shown[INPATIENT_BEDS] < shown[ADULT_BEDS]).any()
    assert 0.12 < (pennsylvania[CONFIRMED] == SUPPRESSED).mean() < 0.33
    pd.testing.assert_frame_equal(pennsylvania[list(NUMBERS)], pennsylvania[list(NUMBERS)].round(1))
    assert (shown[ADMISSIONS].dropna() % 1 == 0).all()


def test_the_waves_come_when_the_real_ones_came(pennsylvania):
    patients = pennsylvania.where(pennsylvania[CONFIRMED] > 0).groupby("collection_week")[CONFIRMED].sum()
    peaks = ("2021/01/08", "2021/09/03", "2022/01/14", "2022/07/29", "2022/12/30")
    quiet = ("2021/06/25", "2021/06/25", "2022/04/08", "2022/04/08", "2023/06/02")
    assert all(patients[high] > 2 * patients[low] for high, low in zip(peaks, quiet, strict=True))
    assert patients.idxmax()[:7] in {"2020/12", "2021/01", "2022/01"}


@each(("weeks", "count"), [(1, 1), (2, 9), (5, 10)])
def test_short_and_small_studies_work(weeks, count):
    frame = reports(["VI"], weeks, 9, {"VI": count})
    assert 0.8 * weeks * count <= len(frame) <= weeks * count + 1
    dates = pd.date_range("2020-08-07", periods=weeks, freq="W-FRI")
    assert set(frame["collection_week"]) <= {f"{week:%Y/%m/%d}" for week in dates}


def test_an_unknown_state_is_refused():
    with pytest.raises(InputError, match=r"unknown state 'PN'; write some of AK, .*, WY"):
        reports(["PA", "PN"], 3, 1)
