"""Which kept download still serves, and what is known of a download before it is made."""

import json

import pytest

from private_experts.replication.files import sha256
from private_experts.replication.hospital import kept
from private_experts.replication.hospital.kept import Version, provenance, record_of, told, version
from tests.each import each

ASKED = {
    "base_url": "https://host.example", "dataset": "abcd-1234", "states": ["NM"], "first_week": "2021-01-01",
    "last_week": "2021-01-08",
}  # fmt: skip
COLUMNS = ["beds", "patients"]
OTHER = [
    {"base_url": "https://other.example"}, {"base_url": "https://host.example/2"}, {"dataset": "abcd-1235"},
    {"states": []}, {"first_week": "2021-01-08"}, {"last_week": "2021-01-15"}, {"as_of": "2021-02-01"},
]  # fmt: skip


@pytest.fixture
def cache(tmp_path):
    path = tmp_path / "abcd-1234.csv.gz"
    path.write_text("reports")
    record_of(path).write_text(json.dumps({**told(ASKED), "wanted": COLUMNS, "sha256": sha256(path)}))
    return path


def test_what_was_kept_serves_for_the_same_and_for_fewer_columns(cache):
    for columns in (COLUMNS, COLUMNS[:1]):
        assert provenance(cache, ASKED, columns, None)["sha256"] == sha256(cache)
    assert provenance(cache, ASKED | {"base_url": "https://host.example/", "as_of": None}, COLUMNS, None)
    assert provenance(cache, ASKED, COLUMNS, sha256(cache).upper())


@each("other", OTHER)
def test_what_another_host_or_another_query_gave_does_not_serve(other, cache):
    assert provenance(cache, ASKED | other, COLUMNS, None) is None


@each("dataset, path", [("anag-cw7u", "/resource/anag-cw7u.csv"), ("covid_hosp_facility", "/covid_hosp_facility/")])
def test_a_record_of_an_earlier_version_which_has_the_whole_address_alone_is_understood(dataset, path, cache):
    asked = ASKED | {"base_url": "https://host.example/api", "dataset": dataset}
    record = {**told(asked), "wanted": COLUMNS, "sha256": sha256(cache), "url": f"https://host.example/api{path}"}
    del record["base_url"]
    record_of(cache).write_text(json.dumps(record))
    assert provenance(cache, asked, COLUMNS, None)["sha256"] == sha256(cache)
    assert version(asked | {"cache": str(cache), "sha256": None}, COLUMNS) == Version(sha256=sha256(cache))
    for other in ("https://host.example", "https://other.example/api"):
        assert provenance(cache, asked | {"base_url": other}, COLUMNS, None) is None


def test_what_was_kept_serves_for_the_same_states_in_another_order(cache):
    both = ASKED | {"states": ["NM", "PA"]}
    record_of(cache).write_text(json.dumps({**told(both), "wanted": COLUMNS, "sha256": sha256(cache)}))
    assert provenance(cache, both | {"states": ["PA", "NM"]}, COLUMNS, None)
    assert provenance(cache, both | {"states": ["PA", "NH"]}, COLUMNS, None) is None
    # Pages of states that have arrived are another matter: they lie in the order in which they were asked for.
    assert told(both) != told(both | {"states": ["PA", "NM"]})


def test_neither_does_what_lacks_a_column_was_changed_or_has_another_checksum(cache):
    assert provenance(cache, ASKED, [*COLUMNS, "more"], None) is None
    assert provenance(cache, ASKED, COLUMNS, "0" * 64) is None
    cache.write_text("reports that somebody changed")
    assert provenance(cache, ASKED, COLUMNS, None) is None


@each("content", [None, "", "[]", "{}", '{"base_url": 1}', '{"wanted": []}', '{"dataset": "abcd-1234", "url": 1}'])
def test_a_record_that_is_damaged_or_missing_tells_nothing(content, cache):
    record_of(cache).unlink(missing_ok=True)
    if content is not None:
        record_of(cache).write_text(content)
    assert provenance(cache, ASKED, COLUMNS, None) is None


def test_of_a_download_that_will_be_made_only_what_the_config_says_is_known(cache):
    asked = ASKED | {"cache": str(cache), "sha256": None}
    digest = sha256(cache)
    assert version(asked, COLUMNS) == Version(sha256=digest)
    assert version(asked | {"states": []}, COLUMNS) == Version(replaces=digest, had=("states NM",))
    assert version(asked | {"sha256": "C" * 64}, COLUMNS) == Version(sha256="c" * 64)
    cache.unlink()
    assert version(asked | {"as_of": "2021-02-01"}, COLUMNS) == Version("2021-02-01")


@each("other, columns, had", [
    *zip(OTHER, [COLUMNS] * 7, (
        "base_url https://host.example", "base_url https://host.example", "dataset abcd-1234", "states NM",
        "first_week 2021-01-01", "last_week 2021-01-08", "as_of null",
    ), strict=True),
    ({"states": ["PA"], "last_week": "2021-01-15"}, COLUMNS, "states NM, last_week 2021-01-08"),
    ({}, [*COLUMNS, "more", "and"], "columns without and, more"),
])  # fmt: skip
def test_what_the_kept_download_was_asked_for_is_told_where_it_differs(other, columns, had, cache):
    found = version(ASKED | other | {"cache": str(cache), "sha256": None}, columns)
    assert (found.replaces, ", ".join(found.had)) == (sha256(cache), had)
    assert str(found).endswith(f", made anew, since the kept one was asked for {had}")


def test_of_all_states_it_is_told_that_they_were_all(cache):
    record_of(cache).write_text(json.dumps({**told(ASKED | {"states": []}), "wanted": COLUMNS, "sha256": "0"}))
    assert version(ASKED | {"cache": str(cache), "sha256": None}, COLUMNS).had == ("states all",)


@each("spoilt", ["file", "record"])
def test_a_file_that_was_changed_or_has_no_record_is_told_apart_from_another_query(spoilt, cache):
    (cache if spoilt == "file" else record_of(cache)).write_text("spoilt")
    found = version(ASKED | {"cache": str(cache), "sha256": None}, COLUMNS)
    assert found == Version(replaces=sha256(cache))
    assert str(found) == ", made anew, since the kept one is not as it was, or its record is not"


def test_a_plan_reads_the_kept_file_once(cache, monkeypatch):
    read = []
    monkeypatch.setattr(kept, "sha256", lambda path: read.append(path) or sha256(path))
    for asked in (ASKED, ASKED | {"states": []}):
        read.clear()
        version(asked | {"cache": str(cache), "sha256": None}, COLUMNS)
        assert read == [cache]
