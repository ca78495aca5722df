"""Which of several services the reports come from, and what is told of it."""

import json
import re

import pytest

from private_experts.replication.hospital import delphi, downloads
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.outline import DELPHI
from private_experts.replication.hospital.standing import REPLACE_VARIABLE
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


@pytest.fixture
def reports(servers, tmp_path, monkeypatch, command):
    """Return a function that gets reports while some services are away."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    for name in ("PRIVATE_EXPERTS_OFFLINE", REPLACE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(delphi.KEY_VARIABLE, "the-key")
    away: set[str] = set()

    for module in (downloads.healthdata, downloads.delphi):
        name, real = module.__name__.rpartition(".")[2], module.download

        def download(*given, name=name, real=real, **more):
            if name in away:
                raise Unreachable(f"{name}.example: no complete answer")
            return real(*given, progress=False, **more)

        monkeypatch.setattr(module, "download", download)

    def get(source, *missing):
        away.clear()
        away.update(missing)
        asked = {"first_week": WEEKS[0], "last_week": WEEKS[-1], "states": ["NM"]}
        each_asked = [
            asked
            | {"source": name, "base_url": server.url, "cache": str(tmp_path / f"{name}.csv.gz"), "dataset": dataset}
            for (name, server), dataset in zip(servers.items(), ("anag-cw7u", DELPHI), strict=True)
            if source in ("auto", name)
        ]
        words = ["reports", "--source", source, "--columns", *NAMES, "--states", "VT", "--weeks", "2"]
        words += ["--downloads", *map(json.dumps, each_asked), "--known", tmp_path / "known.json"]
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
    assert error.count("\n") == 1
    assert "has no record of this download" in error


def test_auto_goes_to_delphi_when_the_first_is_away_and_the_reports_are_the_same(reports, tmp_path, servers):
    code, error, record, copy = reports("auto", "healthdata")
    assert (code, record["kind"], record["publication"]) == (0, "delphi", "2021-02-01")
    assert record["failed"] == ["healthdata.example: no complete answer"]
    assert "healthdata.example: no complete answer; going on with Delphi Epidata's copy" in error
    assert "published 2021-02-01" in record["label"]
    assert servers["delphi"].keys[-1] == "the-key"
    for path in tmp_path.glob("run/hospital/*"):
        path.unlink()
    assert reports("auto")[3] == copy


@each("source", ["healthdata", "delphi"])
def test_a_service_that_is_named_is_not_replaced_by_another(reports, source):
    code, error, _, _ = reports(source, source)
    assert (code, error) == (2, f"private-experts: {source}.example: no complete answer\n")


@each(
    ("before", "away", "says"),
    [
        ("healthdata", "healthdata", "healthdata.example: no complete answer; .*on a download from Delphi Epidata"),
        ("delphi", "", "private-experts: .*on a download from healthdata.gov"),
    ],
)
def test_auto_does_not_replace_results_on_one_service_by_those_on_another(reports, tmp_path, before, away, says):
    record = tmp_path / "run/manifest.json"
    record.parent.mkdir(exist_ok=True)
    record.write_text(json.dumps({"data": {"kind": before, "label": "the last data"}}))
    code, error, _, made = reports("auto", away)
    assert (code, made, error.count("\n")) == (2, "", 1)
    assert "rest on the last data" in error
    assert re.search(says, error)


@each("source", ["healthdata", "delphi", "auto"])
def test_results_on_another_version_are_kept_before_anything_is_written(reports, tmp_path, source):
    record = tmp_path / "run/manifest.json"
    for path in (record, *tmp_path.glob("run/hospital/*")):
        path.unlink(missing_ok=True)
    code, _, first, _ = reports(source)
    assert code == 0
    for path in tmp_path.glob("run/hospital/*"):
        path.unlink()
    record.write_text(json.dumps({"data": first | {"label": "the last data"}}))
    assert reports(source)[0] == 0
    for path in tmp_path.glob("run/hospital/*"):
        path.unlink()
    record.write_text(json.dumps({"data": first | {"label": "the last data", "sha256": "0" * 64}}))
    code, error, _, made = reports(source)
    assert (code, made, error.count("\n")) == (2, "", 1)
    assert "rest on the last data, and this run would replace them by results on a download from" in error
    assert f", sha256 {first['sha256'][:8]}; name the same data again" in error


def test_the_key_is_not_in_what_is_written(reports, tmp_path):
    reports("delphi")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 4
    assert not any(b"the-key" in path.read_bytes() for path in written)
