import itertools
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.hospital import downloads as downloading
from private_experts.replication.hospital import source
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.downloads import Download, get
from private_experts.replication.hospital.outline import OFFLINE_VARIABLE
from private_experts.replication.hospital.portal import Query
from private_experts.replication.hospital.source import Source, describe, from_file, from_generator, resolve
from private_experts.replication.hospital.standing import REPLACE_VARIABLE
from tests.each import each

from .socrata_server import COLUMNS, ROWS, WEEKS, running

NOTHING_KEPT = {"healthdata": Path("absent.csv.gz"), "delphi": Path("absent.csv.gz")}

# ---------------------------------------------------------------- the decision

# What is given: a file in the config (c), in the variable (v), offline in the config (o), by the variable (O), or
# allowed by it (a); and whether a download of healthdata.gov (k) or of Delphi (d) is cached.
DECISIONS = {
    "synthetic": {"": "synthetic", "c": "synthetic", "v": "synthetic", "cvoOk": "synthetic"},
    "file": {"": "no file", "oOk": "no file", "c": "mine", "v": "theirs", "cv": "mine", "voO": "theirs", "ck": "mine"},
    "healthdata": {
        "": "healthdata", "k": "healthdata", "cv": "healthdata", "a": "healthdata", "ok": "healthdata",
        "Ok": "healthdata", "oOk": "healthdata", "o": "offline", "O": "offline", "oO": "offline", "oa": "offline",
        "cvO": "offline",
    },
    "delphi": {
        "": "delphi", "d": "delphi", "cv": "delphi", "od": "delphi", "o": "offline", "ok": "offline", "cvO": "offline",
    },
    "auto": {
        "od": "auto", "okd": "auto",
        "": "auto", "k": "auto", "a": "auto", "ok": "auto", "Ok": "auto", "oak": "auto", "o": "synthetic",
        "O": "synthetic", "oO": "synthetic", "oa": "synthetic", "c": "mine", "v": "theirs", "cv": "mine",
        "coO": "mine", "vO": "theirs", "cvk": "mine", "vok": "theirs",
    },
}  # fmt: skip


@each(("kind", "given", "expected"), [(kind, *line) for kind, table in DECISIONS.items() for line in table.items()])
def test_the_source_is_decided_by_config_environment_and_cache(tmp_path, kind, given, expected):
    files = {"mine": tmp_path / "mine.csv", "theirs": tmp_path / "theirs.csv"}
    for path in files.values():
        path.touch()
    (tmp_path / "cached.csv.gz").touch()
    names = {"healthdata": "k", "delphi": "d"}
    kept = {each: tmp_path / ("cached.csv.gz" if k in given else "absent.csv.gz") for each, k in names.items()}
    environment = {"HHS_FACILITY_CSV": str(files["theirs"])} if "v" in given else {}
    environment |= {"PRIVATE_EXPERTS_OFFLINE": "1"} if "O" in given else {}
    hospital = {"source": kind, "file": str(files["mine"]) if "c" in given else None, "offline": "o" in given}
    hospital["as_of"] = None
    # A variable that is 0 or empty forbids nothing, as one that is not set.
    for allowed in ("0", "") if "a" in given else (None,):
        variables = environment | ({} if allowed is None else {"PRIVATE_EXPERTS_OFFLINE": allowed})
        if expected in ("no file", "offline"):
            with pytest.raises(InputError, match="HHS_FACILITY_CSV" if expected == "no file" else "offline"):
                resolve(hospital, kept, variables)
        else:
            assert resolve(hospital, kept, variables) == (
                Source("file", files[expected]) if expected in files else Source(expected)
            )


@each("by", ["config", "variable"])
@each("kind", ["auto", "file"])
def test_a_file_that_is_given_but_missing_is_refused_rather_than_replaced(tmp_path, kind, by):
    missing = str(tmp_path / "absent.csv")
    hospital = {"source": kind, "file": missing if by == "config" else None, "offline": True, "as_of": None}
    environment = {} if by == "config" else {"HHS_FACILITY_CSV": missing}
    with pytest.raises(InputError) as caught:
        resolve(hospital, NOTHING_KEPT, environment)
    assert missing in str(caught.value)
    assert "\n" not in str(caught.value)


@each("nothing", [None, ""])
def test_an_empty_file_name_or_variable_is_none(tmp_path, nothing):
    hospital = {"source": "auto", "file": nothing, "offline": False, "as_of": None}
    assert resolve(hospital, NOTHING_KEPT, {"HHS_FACILITY_CSV": ""}) == Source("auto")


@each(
    ("kind", "given", "offline", "expected"),
    [
        ("delphi", None, False, "delphi"), ("auto", None, False, "delphi"), ("delphi", "mine.csv", False, "delphi"),
        ("auto", "mine.csv", False, "the file mine.csv has no versions"),
        ("file", "mine.csv", False, "hospital.source: file has no versions"),
        ("healthdata", None, False, "hospital.source: healthdata has no versions"),
        ("synthetic", None, False, "hospital.source: synthetic has no versions"),
        ("auto", None, True, "hospital.source: delphi, but offline is set"),
    ],
)  # fmt: skip
def test_a_version_is_picked_where_there_are_versions_and_refused_elsewhere(kind, given, offline, expected):
    hospital = {"source": kind, "file": given, "offline": offline, "as_of": "2022-11-01"}
    if expected == "delphi":
        assert resolve(hospital, NOTHING_KEPT, {}) == Source("delphi")
    else:
        with pytest.raises(InputError) as caught:
            resolve(hospital, NOTHING_KEPT, {})
        assert expected in str(caught.value)


def test_each_version_is_kept_in_a_file_of_its_own():
    newest, dated = (
        source.caches({"as_of": day, "healthdata": {"dataset": "anag-cw7u"}}, Path("kept"))
        for day in (None, "2022-11-01")
    )
    assert newest == {
        "healthdata": Path("kept/anag-cw7u.csv.gz"), "delphi": Path("kept/covid_hosp_facility.csv.gz")
    }  # fmt: skip
    assert dated["delphi"] == Path("kept/covid_hosp_facility-2022-11-01.csv.gz")


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
def downloads(monkeypatch):
    """Let reports be downloaded from an imitation of healthdata.gov; give the queries that it was asked."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("PRIVATE_EXPERTS_OFFLINE", raising=False)
    asked = []
    with running() as server:
        real = downloading.healthdata.download

        def download(query, destination, *, sha256=None):
            asked.append(query)
            there = replace(query, base_url=server.url)
            return real(there, destination, sha256=sha256, progress=False) | {"base_url": query.base_url}

        monkeypatch.setattr(downloading.healthdata, "download", download)
        yield asked


def from_healthdata(query, cache, expected):
    return get(Download("healthdata", query, cache, expected))


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "resources" / "anag-cw7u.csv.gz"


QUERY = Query("https://portal.example", "anag-cw7u", COLUMNS[:3] + COLUMNS[4:5], ("NM", "PA"), WEEKS[0], WEEKS[3])


def test_the_first_call_downloads_and_tells_where_from(downloads, cache):
    table, provenance = from_healthdata(QUERY, cache, None)
    assert downloads == [QUERY]
    expected = [row for row in ROWS if row[2] in ("NM", "PA") and row[1][:10] <= WEEKS[3]]
    assert table["hospital_pk"].tolist() == [row[0] for row in expected]
    assert table["collection_week"].tolist() == [row[1][:10] for row in expected]
    assert (provenance["kind"], provenance["name"]) == ("healthdata", cache.name)
    assert provenance["sha256"] == sha256(cache)
    assert provenance["rows"] == len(expected)


def test_the_same_query_is_answered_from_the_cache(downloads, cache):
    first, origin = from_healthdata(QUERY, cache, None)
    second, again = from_healthdata(QUERY, cache, origin["sha256"])
    assert len(downloads) == 1
    assert second.equals(first)
    assert again == origin


def test_a_checksum_in_capitals_is_the_same_checksum(downloads, cache):
    _, origin = from_healthdata(QUERY, cache, None)
    from_healthdata(QUERY, cache, origin["sha256"].upper())
    assert len(downloads) == 1


@each(
    "changes",
    [
        {"base_url": "https://other.example"},
        {"states": ("NM",)},
        {"states": ()},
        {"first_week": WEEKS[1]},
        {"last_week": WEEKS[2]},
        {"columns": COLUMNS[:3] + COLUMNS[4:]},
    ],
)
def test_another_query_is_downloaded_again(downloads, cache, changes):
    cache.unlink(missing_ok=True)
    downloads.clear()
    from_healthdata(QUERY, cache, None)
    other = replace(QUERY, **changes)
    table, _ = from_healthdata(other, cache, None)
    assert downloads == [QUERY, other]
    assert list(table.columns) == list(other.columns)


def test_another_data_set_is_downloaded_again(downloads, cache):
    from_healthdata(QUERY, cache, None)
    other = replace(QUERY, dataset="uqq2-txqb")
    with pytest.raises(InputError, match="404"):  # the imitation does not have it
        from_healthdata(other, cache, None)
    assert downloads == [QUERY, other]


def test_a_column_that_the_data_set_lacks_does_not_spoil_the_cache(downloads, cache):
    query = replace(QUERY, columns=(*QUERY.columns, "not_there"))
    from_healthdata(query, cache, None)
    from_healthdata(query, cache, None)
    assert len(downloads) == 1


@each("damage", [lambda content: content[:-20], lambda content: content + b"x", lambda content: b""])
def test_a_damaged_cache_is_downloaded_again(downloads, cache, damage):
    cache.unlink(missing_ok=True)
    downloads.clear()
    first, _ = from_healthdata(QUERY, cache, None)
    cache.write_bytes(damage(cache.read_bytes()))
    second, _ = from_healthdata(QUERY, cache, None)
    assert len(downloads) == 2
    assert second.equals(first)


@each("record", [None, "", "{", "[]", "{}", '{"dataset": "anag-cw7u"}', "null"])
def test_a_cache_whose_record_is_lost_or_damaged_is_downloaded_again(downloads, cache, record):
    cache.unlink(missing_ok=True)
    downloads.clear()
    first, _ = from_healthdata(QUERY, cache, None)
    path = cache.with_name(f"{cache.name}.provenance.json")
    if record is None:
        path.unlink()
    else:
        path.write_text(record)
    second, _ = from_healthdata(QUERY, cache, None)
    assert len(downloads) == 2
    assert second.equals(first)
    assert json.loads(path.read_text())["sha256"] == sha256(cache)


def test_a_cache_with_another_checksum_than_expected_is_downloaded_again_and_kept_if_that_fails(downloads, cache):
    from_healthdata(QUERY, cache, None)
    before = cache.read_bytes()
    with pytest.raises(InputError, match="sha256"):
        from_healthdata(QUERY, cache, "0" * 64)
    assert len(downloads) == 2
    assert cache.read_bytes() == before


@pytest.mark.parametrize("kind", ["auto", "healthdata"])
@pytest.mark.parametrize("cached", ["this query", "another query"])
def test_offline_only_the_cache_of_this_very_query_is_used(
    downloads, cache, tmp_path, monkeypatch, command, kind, cached
):
    columns = COLUMNS[4:]
    asked = Query("https://portal.example", "anag-cw7u", (*COLUMNS[:3], *columns), (), WEEKS[0], WEEKS[-1], 50_000)
    from_healthdata(asked if cached == "this query" else replace(asked, states=("NM",)), cache, None)
    monkeypatch.setenv("PRIVATE_EXPERTS_OFFLINE", "1")
    query = {name: getattr(asked, name) for name in ("base_url", "dataset", "states", "first_week", "last_week")}
    query |= {"source": "healthdata", "cache": str(cache)}
    words = ["reports", "--source", kind, "--downloads", json.dumps(query), "--columns", *columns]
    words += ["--states", "NM", "--weeks", "3", "--output", tmp_path / "out.csv", "--provenance", tmp_path / "out.json"]
    code, error = command(*words)
    assert len(downloads) == 1, "the network was used although it is forbidden"
    if cached == "this query":
        assert (code, error.count("\n")) == (0, 1)
        assert "has no record of this download" in error
        assert json.loads((tmp_path / "out.json").read_text())["kind"] == "healthdata"
    elif kind == "auto":
        assert code == 0
        assert error.count("\n") == 1
        assert "SYNTHETIC" in error
        assert json.loads((tmp_path / "out.json").read_text())["kind"] == "synthetic"
    else:
        assert code == 2
        assert error.count("\n") == 1
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("where", ["manifest.json", "paper/data.json"])
@pytest.mark.parametrize(
    ("kind", "before", "code"),
    [("auto", None, 0), ("auto", "synthetic", 0), ("auto", "healthdata", 2), ("healthdata", None, 2)],
)
def test_without_a_network_auto_goes_on_with_synthetic_data_unless_results_rest_on_a_download(
    tmp_path, monkeypatch, command, kind, before, code, where
):
    monkeypatch.delenv("PRIVATE_EXPERTS_OFFLINE", raising=False)
    monkeypatch.delenv(REPLACE_VARIABLE, raising=False)
    for name in ("hospital", "paper"):
        (tmp_path / name).mkdir()
    if before:  # Snakemake removes what a job makes before the job, so that only the manifest and the products tell
        (tmp_path / where).write_text(json.dumps({"data": {"kind": before, "label": "the last data"}}))

    def unreachable(*_, **__):
        raise Unreachable("portal.example: no complete answer")

    monkeypatch.setattr(downloading.healthdata, "download", unreachable)
    monkeypatch.setattr(downloading.delphi, "download", unreachable)
    query = {"base_url": "https://portal.example", "dataset": "anag-cw7u", "states": [], "first_week": WEEKS[0]}
    query |= {"last_week": WEEKS[1], "source": "healthdata", "cache": str(tmp_path / "cache.csv.gz")}
    words = ["reports", "--source", kind, "--columns", "beds", "--states", "VT"]
    others = [query | {"source": "delphi"}] if kind == "auto" else []
    words += ["--downloads", *map(json.dumps, [query, *others]), "--weeks", "2"]
    made, provenance = tmp_path / "hospital/reports.csv", tmp_path / "hospital/provenance.json"
    found, error = command(*words, "--output", made, "--provenance", provenance, "--paper", tmp_path / "paper")
    assert found == code
    assert error.count("\n") == 1
    assert error.count("portal.example: no complete answer") == (2 if kind == "auto" else 1)
    assert ("going on with SYNTHETIC" in error) is (code == 0)
    assert ("the results here rest on the last data" in error) is (before == "healthdata")
    assert made.exists() is (code == 0)
    if code == 0:
        assert json.loads(provenance.read_text())["label"].startswith("SYNTHETIC DATA")
        assert (tmp_path / "paper/data.json").read_text() == provenance.read_text()


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


@pytest.mark.parametrize("kind", ["file", "healthdata"])
def test_the_label_of_real_reports_names_their_file_and_checksum(kind):
    label = describe(TABLE, {"kind": kind, "name": "mine.csv", "sha256": "0123456789abcdef"})["label"]
    assert label == "HHS hospital reports, 2 weeks, 2021-01-01 to 2021-01-15 (mine.csv, sha256 01234567)"


def test_the_label_says_that_states_have_different_weeks():
    table = TABLE[(TABLE["state"] != "PA") | (TABLE["collection_week"] != "2021-01-15")]
    record = describe(table, {"kind": "file", "name": "mine.csv", "sha256": "0123456789abcdef"})
    assert record["weeks"] == {"NM": 2, "PA": 1}
    assert record["label"].startswith("HHS hospital reports, 1 to 2 weeks by state, 2021-01-01 to 2021-01-15 (mine")


def test_the_label_of_a_version_says_when_it_was_published():
    origin = {"kind": "delphi", "name": "mine.csv", "sha256": "0123456789abcdef", "publication": "2022-10-24"}
    assert describe(TABLE, origin)["label"].endswith("(mine.csv, published 2022-10-24, sha256 01234567)")


def test_the_label_of_made_up_reports_says_synthetic_and_never_hhs():
    _, provenance = from_generator(("VT",), 2, 7)
    label = describe(TABLE, provenance)["label"]
    assert label == "SYNTHETIC DATA (seed 7), not hospital reports: 2 weeks, 2021-01-01 to 2021-01-15"


def test_the_variables_have_the_names_that_the_documentation_tells():
    names = (source.FILE_VARIABLE, OFFLINE_VARIABLE, downloading.delphi.KEY_VARIABLE)
    assert names == ("HHS_FACILITY_CSV", "PRIVATE_EXPERTS_OFFLINE", "DELPHI_EPIDATA_KEY")
