"""Which of several services the reports come from, and what is told of it."""

import itertools
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data import delphi, healthdata
from private_experts.replication.study.data.fetch import describe, from_file, from_generator, from_service
from private_experts.replication.study.data.http_client import Unreachable
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE
from private_experts.replication.study.data.query import Query
from private_experts.replication.study.data.source import DELPHI
from tests.each import each

from . import delphi_server, socrata_server
from .delphi_server import NAMES, published

WEEKS = ("2021-01-01", "2021-01-08")
TRUTH = [
    {"hospital_pk": pk, "collection_week": week, "state": "NM"} | dict.fromkeys(NAMES, 20.0 + h + w)
    for h, pk in enumerate(("010001", "320002"))
    for w, week in enumerate(WEEKS)
]
COLUMNS = ("hospital_pk", "collection_week", "state", *NAMES)


@pytest.fixture(scope="module")
def servers():
    with delphi_server.running() as ours, socrata_server.running() as theirs:
        ours.rows = published(20210201, TRUTH)
        theirs.columns = COLUMNS
        theirs.rows = [tuple(f"{row[name]}" for name in COLUMNS) for row in TRUTH]
        theirs.rows = [(pk, f"{week}T00:00:00.000", *others) for pk, week, *others in theirs.rows]
        yield {"healthdata": theirs, "delphi": ours}


def query(servers, service="healthdata", **changes):
    dataset = {"healthdata": "anag-cw7u", "delphi": DELPHI}[service]
    plain = Query(service, servers[service].url, dataset, ["NM"], WEEKS[0], WEEKS[-1], list(NAMES))
    return replace(plain, **changes)


@pytest.fixture
def reports(servers, tmp_path, monkeypatch, command):
    """Return a function that gets reports while some services are away."""
    for name in ("PRIVATE_EXPERTS_OFFLINE", REPLACE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(delphi.KEY_VARIABLE, "the-key")
    away: set[str] = set()

    for module in (healthdata, delphi):
        name, real = module.__name__.rpartition(".")[2], module.download

        def download(*given, name=name, real=real, **more):
            if name in away:
                raise Unreachable(f"{name}.example: no complete response")
            return real(*given, **more)

        monkeypatch.setattr(module, "download", download)

    def get(source, *missing):
        away.clear()
        away.update(missing)
        queries = [query(servers, name) for name in servers if source in ("auto", name)]
        words = ["reports", "--source", source, "--columns", *NAMES, "--states", "VT", "--weeks", "2"]
        words += ["--downloads", *(query.as_json() for query in queries), "--cache", tmp_path]
        words += ["--paper", tmp_path / "run/paper"]
        made = [tmp_path / "run/hospital" / name for name in ("reports.csv", "provenance.json")]
        code, error = command(*words, "--output", made[0], "--provenance", made[1])
        record = json.loads(made[1].read_text()) if made[1].exists() else {}
        return code, error, record, made[0].read_text() if made[0].exists() else ""

    return get


def test_auto_takes_the_first_that_can_be_reached_and_says_which(reports, servers):
    asked = len(servers["delphi"].requests)
    code, error, record, _ = reports("auto")
    assert (code, record["kind"], "failed" in record) == (0, "healthdata", False)
    assert len(servers["delphi"].requests) == asked
    assert error == ""


def test_auto_goes_to_delphi_when_the_first_is_away_and_the_reports_are_the_same(reports, tmp_path, servers):
    code, error, record, copy = reports("auto", "healthdata")
    assert (code, record["kind"], record["publication"]) == (0, "delphi", "2021-02-01")
    assert record["failed"] == ["healthdata.example: no complete response"]
    assert "healthdata.example: no complete response; continuing with Delphi Epidata's copy" in error
    assert "published 2021-02-01" in record["label"]
    assert servers["delphi"].keys[-1] == "the-key"
    for path in tmp_path.glob("run/*/*"):
        path.unlink()
    assert reports("auto")[3] == copy


@each("source", ["healthdata", "delphi"])
def test_a_service_that_is_named_is_not_replaced_by_another(reports, source):
    code, error, _, _ = reports(source, source)
    assert (code, error) == (2, f"private-experts: {source}.example: no complete response\n")


@each(
    ("before", "away", "says"),
    [
        ("healthdata", "healthdata", "healthdata.example: no complete response; .*from a download from Delphi Epidata"),
        ("delphi", "", "private-experts: .*from a download from healthdata.gov"),
    ],
)
def test_auto_does_not_replace_results_on_one_service_by_those_on_another(reports, tmp_path, before, away, says):
    record = tmp_path / "run/manifest.json"
    record.parent.mkdir(exist_ok=True)
    record.write_text(json.dumps({"data": {"kind": before, "label": "the last data"}}))
    code, error, _, made = reports("auto", away)
    assert (code, made, error.count("\n")) == (2, "", 1)
    assert "computed from the last data" in error
    assert re.search(says, error)


@each("source", ["healthdata", "delphi", "auto"])
def test_results_on_another_version_are_kept_before_anything_is_written(reports, tmp_path, source):
    record = tmp_path / "run/manifest.json"
    for path in (record, *tmp_path.glob("run/*/*")):
        path.unlink(missing_ok=True)
    code, _, first, _ = reports(source)
    assert code == 0
    for path in tmp_path.glob("run/*/*"):
        path.unlink()
    record.write_text(json.dumps({"data": first | {"label": "the last data"}}))
    assert reports(source)[0] == 0
    for path in tmp_path.glob("run/*/*"):
        path.unlink()
    record.write_text(json.dumps({"data": first | {"label": "the last data", "sha256": "0" * 64}}))
    code, error, _, made = reports(source)
    assert (code, made, error.count("\n")) == (2, "", 1)
    assert "from the last data, and this run would overwrite them with results computed from a download from" in error
    assert f", sha256 {first['sha256'][:8]}; use the same data again" in error


def test_the_key_is_not_in_what_is_written(reports, tmp_path):
    reports("delphi")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 4
    assert not any(b"the-key" in path.read_bytes() for path in written)


# ---------------------------------------------------------------- files and made-up reports


def test_reports_from_a_file_come_with_its_name_and_checksum(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("hospital_pk,collection_week,state,beds\n010001,2021/01/01,NM,4\n")
    table, provenance = from_file(path, ("beds",))
    assert table.to_numpy().tolist() == [["010001", "2021-01-01", "NM", 4.0]]
    assert provenance == {"kind": "file", "name": "mine.csv", "sha256": sha256(path)}


def test_made_up_reports_have_iso_weeks_and_say_so():
    table, provenance = from_generator(("VT", "NM"), 3, 7)
    assert sorted(set(table["collection_week"])) == ["2020-08-07", "2020-08-14", "2020-08-21"]
    assert set(table["state"]) == {"VT", "NM"}
    assert (provenance["kind"], provenance["seed"]) == ("synthetic", 7)
    again, _ = from_generator(("VT", "NM"), 3, 7)
    other, _ = from_generator(("VT", "NM"), 3, 8)
    assert table.equals(again)
    assert not table.equals(other)


# ---------------------------------------------------------------- the download and its cache


@pytest.fixture
def ask(servers, tmp_path, monkeypatch):
    """Return a function that gets the reports of a query, and how often they have been downloaded in this test."""
    monkeypatch.delenv("PRIVATE_EXPERTS_OFFLINE", raising=False)
    requests = servers["healthdata"].requests
    requests.clear()

    def get(**changes):
        table, provenance = from_service(query(servers, **changes), tmp_path)
        return table, provenance, requests.count({"$limit": "1"})  # with which each download begins

    return get


def test_the_first_call_downloads_and_tells_where_from_and_the_next_ones_take_the_cache(ask, servers, tmp_path):
    table, provenance, downloads = ask()
    cache = query(servers).cache(tmp_path)
    assert downloads == 1
    assert table.to_dict("records") == TRUTH
    assert (provenance["kind"], provenance["name"], provenance["rows"]) == ("healthdata", cache.name, len(TRUTH))
    assert provenance["sha256"] == sha256(cache)
    second, again, downloads = ask(sha256=provenance["sha256"])
    assert downloads == 1
    assert second.equals(table)
    assert again == provenance


def test_a_column_that_the_data_set_lacks_does_not_spoil_the_cache(ask):
    lacking = [*NAMES, "not_there"]
    assert [ask(columns=lacking)[2] for _ in range(2)] == [1, 1]


RECORD = ".provenance.json"


@each(
    ("of", "damage"),
    [("", damage) for damage in (lambda content: content[:-20], lambda content: content + b"x", lambda content: b"")]
    + [
        (RECORD, lambda content, record=record: record)
        for record in (b"", b"{", b"[]", b"{}", b'{"dataset": "anag-cw7u"}', b"null", None)
    ],
)
def test_a_damaged_cache_or_record_is_downloaded_again(ask, servers, tmp_path, of, damage):
    first, _, before = ask()
    cache = query(servers).cache(tmp_path)
    path = cache.with_name(f"{cache.name}{of}")
    if (damaged := damage(path.read_bytes())) is None:
        path.unlink()
    else:
        path.write_bytes(damaged)
    second, _, downloads = ask()
    assert downloads == before + 1
    assert second.equals(first)
    assert json.loads(cache.with_name(f"{cache.name}{RECORD}").read_text())["sha256"] == sha256(cache)


def test_a_cache_without_the_expected_checksum_is_downloaded_again_and_kept_if_that_fails(ask, servers, tmp_path):
    ask()
    cache = query(servers).cache(tmp_path)
    before = cache.read_bytes()
    with pytest.raises(InputError, match="sha256"):
        ask(sha256="0" * 64)
    assert ask()[2] == 2
    assert cache.read_bytes() == before


@pytest.mark.parametrize("kind", ["auto", "healthdata"])
@pytest.mark.parametrize("cached", ["this query", "another query"])
def test_offline_only_the_cache_of_this_very_query_is_used(ask, reports, servers, monkeypatch, kind, cached):
    ask(**({} if cached == "this query" else {"last_week": WEEKS[0]}))
    before = len(servers["healthdata"].requests)
    monkeypatch.setenv("PRIVATE_EXPERTS_OFFLINE", "1")
    code, error, record, made = reports(kind)
    assert len(servers["healthdata"].requests) == before, "the network was used although it is forbidden"
    assert error.count("\n") == (cached != "this query")
    if cached == "this query":
        assert (code, record["kind"]) == (0, "healthdata")
    elif kind == "auto":
        assert (code, record["kind"]) == (0, "synthetic")
        assert "SYNTHETIC" in error
    else:
        assert (code, made) == (2, "")


@pytest.mark.parametrize("where", ["manifest.json", "paper/data.json"])
@pytest.mark.parametrize(
    ("kind", "before", "code"),
    [("auto", None, 0), ("auto", "synthetic", 0), ("auto", "healthdata", 2), ("healthdata", None, 2)],
)
def test_without_a_network_auto_goes_on_with_synthetic_data_unless_results_are_from_a_download(
    tmp_path, reports, kind, before, code, where
):
    if before:  # Snakemake removes what a job makes before the job, so that only the manifest and the products tell
        path = tmp_path / "run" / where
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"data": {"kind": before, "label": "the last data"}}))
    found, error, record, made = reports(kind, "healthdata", "delphi")
    assert found == code
    assert error.count("\n") == 1
    assert error.count("example: no complete response") == (2 if kind == "auto" else 1)
    assert ("continuing with SYNTHETIC" in error) is (code == 0)
    assert ("computed from the last data" in error) is (before == "healthdata")
    assert bool(made) is (code == 0)
    if code == 0:
        assert record["label"].startswith("SYNTHETIC DATA")
        assert json.loads((tmp_path / "run/paper/data.json").read_text()) == record


# ---------------------------------------------------------------- what the data is called

TABLE = pd.DataFrame(
    list(itertools.product(["010001", "010002"], ["2021-01-15", "2021-01-01"], ["PA", "NM"])),
    columns=["hospital_pk", "collection_week", "state"],
)


def test_coverage_is_counted():
    record = describe(TABLE, {"kind": "file", "name": "mine.csv", "sha256": "0123456789abcdef"})
    assert {name: record[name] for name in ("rows", "weeks", "first_week", "last_week", "states")} == {
        "rows": 8,
        "weeks": {"NM": 2, "PA": 2},
        "first_week": "2021-01-01",
        "last_week": "2021-01-15",
        "states": ["NM", "PA"],
    }
    json.dumps(record)  # the record is written as JSON


MINE = {"name": "mine.csv", "sha256": "0123456789abcdef"}
TWO_WEEKS = "2 weeks, 2021-01-01 to 2021-01-15"


@each(
    ("origin", "label"),
    [
        ({"kind": "file", **MINE}, f"HHS hospital reports, {TWO_WEEKS} (mine.csv, sha256 01234567)"),
        ({"kind": "healthdata", **MINE}, f"HHS hospital reports, {TWO_WEEKS} (mine.csv, sha256 01234567)"),
        (
            {"kind": "delphi", **MINE, "publication": "2022-10-24"},
            f"HHS hospital reports, {TWO_WEEKS} (mine.csv, published 2022-10-24, sha256 01234567)",
        ),
        ({"kind": "synthetic", "name": "seed 7"}, f"SYNTHETIC DATA (seed 7), not hospital reports: {TWO_WEEKS}"),
    ],
)
def test_the_label_names_the_file_its_version_and_checksum_or_says_synthetic(origin, label):
    assert describe(TABLE, origin)["label"] == label


def test_the_label_says_that_states_have_different_weeks():
    table = TABLE[(TABLE["state"] != "PA") | (TABLE["collection_week"] != "2021-01-15")]
    record = describe(table, {"kind": "file", **MINE})
    assert record["weeks"] == {"NM": 2, "PA": 1}
    assert record["label"].startswith("HHS hospital reports, 1 to 2 weeks by state, 2021-01-01 to 2021-01-15 (mine")
