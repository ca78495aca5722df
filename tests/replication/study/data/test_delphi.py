import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data import delphi, healthdata
from private_experts.replication.study.data.cleaning import Cleaning, clean_all
from private_experts.replication.study.data.delphi import name_at_delphi
from private_experts.replication.study.data.hospital_reports import read
from private_experts.replication.study.data.http_client import Unreachable
from private_experts.replication.study.data.panel import text as panel_text
from private_experts.replication.study.data.query import Query, record_of
from private_experts.replication.study.data.source import DELPHI
from tests.each import each

from . import socrata_server
from .delphi_server import ADMISSIONS, BEDS, NAMES, PATIENTS, published, running

WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15")
HOSPITALS = {"010001": "NM", "320002": "NM", "390119": "PA", "5c211a23-fa2a-4b5f": "PA"}
COLUMNS = ("hospital_pk", "collection_week", "state", *NAMES)
OLD, NEW = 20210125, 20210201


def truth(shift=0.0):
    return [
        {"hospital_pk": pk, "collection_week": week, "state": state} | dict.fromkeys(NAMES, shift + 10.0 * h + w)
        for h, (pk, state) in enumerate(HOSPITALS.items())
        for w, week in enumerate(WEEKS)
    ]


@pytest.fixture(scope="module")
def servers():
    with running() as ours, socrata_server.running() as theirs:
        yield ours, theirs


@pytest.fixture
def server(servers):
    """Return a server that behaves again, with two publications."""
    server, _ = servers
    server.rows = published(OLD, truth(shift=500.0)) + published(NEW, truth())
    server.limit, server.anonymous, server.hidden = 1000, 60, None
    for record in (server.requests, server.paths, server.keys, server.faults):
        record.clear()
    return server


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "reports.csv.gz"


def query(server, **changes):
    plain = Query("delphi", server.url, DELPHI, ("NM", "PA"), WEEKS[0], WEEKS[-1], COLUMNS)
    return replace(plain, **changes)


def fetch(server, destination, *, key=None, **changes):
    return delphi.download(query(server, **changes), destination, key=key)


def failure(server, destination, kind=InputError, **arguments):
    with pytest.raises(InputError) as caught:
        fetch(server, destination, **arguments)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert not destination.exists()
    return str(caught.value)


# ---------------------------------------------------------------- the same panels as from healthdata.gov

KINDS = (PATIENTS, BEDS, ADMISSIONS)
CELLS = (
    st.sampled_from([None, -999999.0, 0.0, -3.0, 4.0, 12.5, 70.1, 250.0]),
    st.sampled_from([None, -999999.0, 0.0, 80.0, 33.3]),
    st.sampled_from([None, -999999.0, 0.0, 60.0]),
)
PLACES = st.tuples(st.sampled_from([*HOSPITALS]), st.sampled_from(WEEKS))
# Every publication has all weeks and states so far, so one report is in all of them.
REPORTS = st.builds(
    lambda some, one: some | {("010001", WEEKS[0]): one}, st.dictionaries(PLACES, st.tuples(*CELLS)), st.tuples(*CELLS)
)
RULES = Cleaning((PATIENTS,), (BEDS,), (ADMISSIONS,), 2.0, 0.0, 0.0, WEEKS[0], WEEKS[-1])


def as_rows(reports):
    return [
        {"hospital_pk": pk, "collection_week": week, "state": HOSPITALS[pk]} | dict(zip(KINDS, cells, strict=True))
        for (pk, week), cells in sorted(reports.items())
    ]


def as_socrata(row):
    texts = {name: "" if value is None else str(value) for name, value in row.items()}
    return tuple((texts | {"collection_week": f"{row['collection_week']}T00:00:00.000"})[name] for name in COLUMNS)


# Without shrinking, which would ask the servers for minutes.
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(REPORTS, REPORTS)
def test_both_services_make_the_same_panels_from_one_truth(servers, tmp_path_factory, reports, before):
    (ours, theirs), folder = servers, tmp_path_factory.mktemp("both")
    ours.rows = published(OLD, as_rows(before)) + published(NEW, as_rows(reports))
    ours.requests.clear()
    theirs.columns, theirs.rows = COLUMNS, [*map(as_socrata, as_rows(reports) * 2)]  # with identical duplicates
    found = []
    for service, asked in (
        (delphi, query(ours)),
        (healthdata, query(theirs, dataset=theirs.dataset)),
    ):
        path = folder / f"{asked.dataset}.csv.gz"
        service.download(asked, path)
        table = read(path, COLUMNS).drop_duplicates()
        panels, _ = clean_all(table, ["NM", "PA"], RULES, required=())
        table = table.sort_values(["hospital_pk", "collection_week"], ignore_index=True)
        found.append((table, {state: panel_text(panel) for state, panel in panels.items()}))
    assert found[0][0].equals(found[1][0])
    assert found[0][1] == found[1][1]


# ---------------------------------------------------------------- what is asked, and what comes of it


def test_the_newest_publication_comes_whole_and_with_official_names(server, destination):
    record = fetch(server, destination)
    table = read(destination, COLUMNS)
    assert table.to_dict("records") == truth()
    retrieved = record.pop("retrieved")
    digest = record.pop("sha256")
    assert record == {
        "url": f"{server.url}/covid_hosp_facility/",
        "base_url": server.url,
        "dataset": "covid_hosp_facility",
        "states": ["NM", "PA"],
        "first_week": WEEKS[0],
        "last_week": WEEKS[-1],
        "publication": "2021-02-01",
        "columns": list(COLUMNS),
        "rows": 12,
    }
    kept = json.loads(record_of(destination).read_text(encoding="utf-8"))
    assert kept == record | {"retrieved": retrieved, "sha256": digest}
    assert digest == sha256(destination)


def test_the_requests_are_those_of_the_documentation(server, destination, monkeypatch):
    monkeypatch.setattr(delphi, "HOSPITALS", 1)
    fetch(server, destination, states=("NM",))
    facility, lookup = "/epidata/covid_hosp_facility/", "/epidata/covid_hosp_facility_lookup/"
    assert server.paths == [lookup, *[facility] * 4]
    weeks = {"collection_weeks": "20210101-20210115"}
    fields = "hospital_pk,collection_week,state," + ",".join(NAMES.values())
    both = {"hospital_pks": "010001,320002", **weeks}
    assert server.requests == [
        {"state": "NM", "fields": "hospital_pk"},
        {**both, "publication_dates": "20200101-99991231", "fields": "publication_date"},
        {**both, "publication_dates": "20210201", "fields": fields},
        *(
            {"hospital_pks": pk, **weeks, "publication_dates": "20210201", "fields": fields}
            for pk in ("010001", "320002")
        ),
    ]


def test_what_was_withdrawn_since_does_not_come_back(server, destination):
    gone = ("320002", 20210108, NEW)
    server.rows = [
        row for row in server.rows
        if (row["hospital_pk"], row["collection_week"], row["publication_date"]) != gone
    ]  # fmt: skip
    assert fetch(server, destination)["rows"] == 11
    assert not read(destination, COLUMNS).eq(500.0).any(axis=None)


def test_a_column_that_the_service_lacks_is_left_out(server, destination):
    record = fetch(server, destination, columns=(*COLUMNS, "inpatient_beds_used_covid_7_day_avg"))
    assert record["columns"] == list(COLUMNS)


@each(
    ("official", "there"),
    [
        *NAMES.items(),
        ("staffed_icu_adult_patients_confirmed_and_suspected_covid_7_day_avg",
         "staffed_icu_adult_patients_confirmed_suspected_covid_7d_avg"),
        ("total_patients_hospitalized_confirmed_influenza_and_covid_7_day_sum",
         "total_patients_hosp_confirmed_influenza_and_covid_7d_sum"),
        ("total_pediatric_patients_hospitalized_confirmed_covid_7_day_coverage",
         "total_pediatric_patients_hosp_confirmed_covid_7d_cov"),
        ("total_adult_patients_hospitalized_confirmed_covid_7_day_coverage",) * 2,  # 64 characters
        ("previous_week_personnel_covid_vaccinated_doses_administered_7_day_sum",
         "previous_week_personnel_covid_vaccd_doses_administered_7_day_sum"),
        ("previous_day_admission_adult_covid_confirmed_80+_7_day_sum",
         "previous_day_admission_adult_covid_confirmed_80plus_7_day_sum"),
        ("previous_day_admission_adult_covid_suspected_18-19_7_day_sum",
         "previous_day_admission_adult_covid_suspected_18_19_7_day_sum"),
        ("previous_day_total_ED_visits_7_day_sum", "previous_day_total_ed_visits_7_day_sum"),
    ],
)  # fmt: skip
def test_names_of_columns_are_delphis(official, there):
    assert name_at_delphi(official) == there


# ---------------------------------------------------------------- keys, limits, and a service that fails


def test_the_key_goes_with_every_request_in_a_header_and_into_no_record(server, destination):
    record = fetch(server, destination, key="the-key")
    assert {*server.keys} == {"the-key"}
    assert "the-key" not in json.dumps([record, server.requests])
    fetch(server, destination)
    assert server.keys[-1] is None


def test_a_key_that_the_service_rejects_or_that_is_none_is_refused(server, destination):
    assert "rejects the key in DELPHI_EPIDATA_KEY" in failure(server, destination, key="stale")
    for wrong in ("k→y", "the-key\n"):
        assert "has a character that no key has" in failure(server, destination, key=wrong)
    assert len(server.requests) == 1


def test_the_limit_without_a_key_is_told(server, destination):
    server.anonymous = 4
    said = failure(server, destination)
    assert "429" in said
    assert "set DELPHI_EPIDATA_KEY" in said
    fetch(server, destination, key="the-key")
    assert read(destination, COLUMNS).to_dict("records") == truth()


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("say -1 database error", Unreachable, "did not give the rows: database error"),
        ("say -1 missing parameter: need [state]", InputError, "did not give the rows: missing parameter"),
        ("say 1 success", InputError, "is not a complete one"),
        ("say 2 too many results, data truncated", InputError, "did not give the rows: too many results"),
        ("500", Unreachable, "HTTP 500"),
        ("404", InputError, "HTTP 404"),
        ("cut silently", InputError, "is not a complete one"),
        ("cut", Unreachable, "IncompleteRead"),
        ("hang up", Unreachable, "no complete response"),
        ("html", InputError, "a web page"),
        ("nothing", InputError, "is not a complete one"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_ends_the_download(server, destination, fault, kind, says):
    server.misbehave(fault, at=5, times=99)
    assert says in failure(server, destination, kind)


@each(("fault", "at"), [(fault, at) for fault in ("500", "hang up") for at in (1, 3, 5)])
def test_a_fault_that_passes_is_survived(server, destination, fault, at):
    server.requests.clear()
    server.faults[:] = [(fault, at, 1)]
    fetch(server, destination)
    assert read(destination, COLUMNS).to_dict("records") == truth()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"states": ("VT",)}, "has no hospital in VT"),
        ({"first_week": "2019-01-04", "last_week": "2019-01-11"}, "has no weeks from 2019-01-04 to 2019-01-11"),
        ({"sha256": "0" * 64}, "expected 000"),
    ],
)
def test_a_query_that_finds_nothing_is_refused(server, destination, changes, says):
    assert says in failure(server, destination, **changes)


def test_a_service_without_the_identity_of_reports_is_refused(server, destination):
    for row in server.rows:
        row["week"] = row["collection_week"]
    server.hidden = "state"
    assert "there is no column state" in failure(server, destination)
