"""Which source a run takes follows from one key, and a file is known by its content."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data.query import Query, store
from private_experts.replication.study.data.source import (
    HINT,
    PINNED,
    SUMS,
    Source,
    expected_record,
    flags,
    listed_sha256,
    resolve,
    unread_variable,
)
from tests.each import each

ROOT = Path(__file__).parents[4]


@each(
    ("data", "source"),
    [
        ("pinned", Source("pinned", PINNED)),
        ("healthdata", Source("healthdata")),
        ("synthetic", Source("synthetic")),
        ("./pinned", Source("file", Path("pinned"))),
        ("a b/o'clock ü $1.csv", Source("file", Path("a b/o'clock ü $1.csv"))),
        ("~/a.csv", Source("file", Path("/theirs/a.csv"))),
        ("~nobody-of-this-name/a.csv", Source("file", Path("~nobody-of-this-name/a.csv"))),
    ],
)
def test_one_key_says_what_a_run_takes_and_no_variable_does(data, source, monkeypatch):
    monkeypatch.setenv("HHS_FACILITY_CSV", "theirs.csv")
    monkeypatch.setenv("HOME", "/theirs")
    assert resolve(data) == source


def test_a_variable_of_earlier_versions_is_named_with_what_to_write():
    message = unread_variable({"HHS_FACILITY_CSV": "/a b/c.csv"})
    assert message == "HHS_FACILITY_CSV is set, but not read; write make reproduce DATA=/a b/c.csv"
    assert unread_variable({}) == unread_variable({"HHS_FACILITY_CSV": ""}) == ""


@each(
    ("data", "why"),
    [
        ("s3://reports/a.csv", "addresses are not read; download the file and give its path"),
        ("a{b}.csv", "Snakemake takes braces for wildcards; choose a name without them"),
        ("a}.csv", "Snakemake takes braces"),
    ],
)
def test_what_a_run_cannot_read_is_refused_with_what_to_do(data, why):
    with pytest.raises(InputError) as caught:
        resolve(data)
    assert str(caught.value).startswith(f"{data}: {why}")


def test_what_is_no_file_is_refused_before_its_checksum_is_made(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # which would never end
    for path, why in ((tmp_path, "is a directory"), (tmp_path / "pipe", "is a pipe or a device")):
        with pytest.raises(InputError) as caught:
            _ = resolve(str(path)).sha256
        assert str(caught.value).startswith(f"{path}: {why}")
        assert str(caught.value).endswith(f"; {HINT}")


def test_the_pinned_file_is_the_one_that_is_listed_and_any_other_is_known_by_its_content(tmp_path):
    path, sums = tmp_path / "reports.csv", tmp_path / SUMS.name
    path.write_text("one")
    one = sha256(path)
    sums.write_text(f"{'0' * 64}  other.csv\n{one}  reports.csv\n")
    assert Source("healthdata").sha256 == ""
    assert Source("pinned", path).sha256 == Source("file", path).sha256 == one
    path.write_text("two")
    with pytest.raises(
        InputError,
        match=rf"^{path}: its sha256 is [0-9a-f]{{8}}\.\.\., and SHA256SUMS beside it lists {one[:8]}",
    ):
        _ = Source("pinned", path).sha256
    assert Source("file", path).sha256 == sha256(path) != one  # who names it gets it as it is
    for listed in (None, "", "0123  other.csv\n", "reports.csv\n"):
        sums.unlink() if listed is None else sums.write_text(listed)
        with pytest.raises(InputError, match=rf"^{sums}: .*; restore it \(git checkout resources/hhs\)"):
            listed_sha256(path)


def test_a_stage_gets_what_its_source_needs_and_the_guard_what_is_known_of_the_data(tmp_path):
    download = {"base_url": "https://host.example", "dataset": "abcd-1234"}
    window = {"first_week": "2021-01-01", "last_week": "2021-01-08"}
    hospital = {**window, "healthdata": download, "synthetic": {"weeks": 3, "seed": 7}}
    config = {"hospital": hospital, "pathvars": {"downloads": str(tmp_path)}}
    scenarios = [{"hospital": {"columns": {"beds": ["x", "y"], "patients": [name, "x"]}}} for name in "zy"]
    file = tmp_path / "mine.csv"
    file.write_text("one")

    def given(source, states):
        study = config | {"generality": {"states": states}}, scenarios, ["NM", "PA"]
        words = flags(source, *study)
        assert words[:6] == ["--source", source.kind, "--columns", "x", "y", "z"]
        return words[6:], expected_record(source, *study)

    words, record = given(Source("file", file), "all")
    assert words == ["--file", str(file), "--sha256", sha256(file)]
    assert record == {"kind": "file", "name": str(file), "sha256": sha256(file)}
    words, record = given(Source("synthetic"), "all")
    assert words == ["--states", "NM", "PA", "--weeks", "3", "--seed", "7"]
    assert record == {"kind": "synthetic"}
    query = Query(
        **download, **window, states=["NM", "PA"], columns=["x", "y", "z"], required=["x", "z", "y"]
    )
    words, record = given(Source("healthdata"), ["PA"])
    assert words == ["--download", query.as_json(), "--cache", str(tmp_path)]
    assert given(Source("healthdata"), "all")[0][1] == replace(query, states=[]).as_json()
    cache = query.cache(tmp_path)
    assert record == {"kind": "healthdata", "name": cache.name, "sha256": None}
    store("one", cache, {}, None)
    assert given(Source("healthdata"), ["PA"])[1]["sha256"] == sha256(cache)


def test_the_repositorys_files_are_those_that_it_lists_and_describes():
    folder = (ROOT / SUMS).parent
    names = {line.split()[1] for line in (ROOT / SUMS).read_text(encoding="utf-8").splitlines()}
    assert names == {path.name for path in folder.glob("*.gz")}
    for name in names:
        assert sha256(folder / name) == listed_sha256(folder / name)
        assert name in (folder / "README.md").read_text(encoding="utf-8")
