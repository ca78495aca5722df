"""Which source a run takes follows from one key, and a file is known by its content."""

import os
import re
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data.source import (
    NAMED,
    PINNED,
    SUMS,
    Source,
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
        ("file", Source("file", Path("file"))),
        ("./pinned", Source("file", Path("pinned"))),
        ("a b/o'clock ü $1.csv", Source("file", Path("a b/o'clock ü $1.csv"))),
    ],
)
def test_one_key_says_what_a_run_takes_and_no_variable_does(data, source, monkeypatch):
    monkeypatch.setenv("HHS_FACILITY_CSV", "theirs.csv")
    monkeypatch.setenv("PRIVATE_EXPERTS_OFFLINE", "1")
    assert resolve(data) == source


def test_a_variable_of_earlier_versions_is_named_with_what_to_write():
    message = unread_variable({"HHS_FACILITY_CSV": "/a b/c.csv"})
    assert message == "HHS_FACILITY_CSV is set, but not read; write make reproduce DATA=/a b/c.csv"
    assert unread_variable({}) == unread_variable({"HHS_FACILITY_CSV": ""}) == ""


@each("data", ["https://healthdata.gov/a.csv", "s3://reports/a.csv", "file:///a.csv"])
def test_an_address_is_refused_with_what_to_do(data):
    with pytest.raises(InputError) as caught:
        resolve(data)
    assert str(caught.value).startswith(
        f"{data}: addresses are not read; download the file and give its path"
    )


def test_a_tilde_is_the_home_of_the_user(monkeypatch):
    monkeypatch.setenv("HOME", "/theirs")
    assert resolve("~/a.csv") == Source("file", Path("/theirs/a.csv"))
    assert resolve("~nobody-of-this-name/a.csv") == Source("file", Path("~nobody-of-this-name/a.csv"))


@each("what", ["absent", "pipe", "directory", "device"])
def test_what_is_no_file_is_refused_before_its_checksum_is_made(tmp_path, what):
    # A pipe or a device would never end.
    named = {
        "absent": tmp_path / "absent",
        "pipe": tmp_path / "pipe",
        "directory": tmp_path,
        "device": "/dev/zero",
    }
    path = Path(named[what])
    if what == "pipe":
        os.mkfifo(path)
    with pytest.raises(InputError) as caught:
        _ = resolve(str(path)).sha256
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert all(name in message for name in NAMED)
    assert "\n" not in message


def test_braces_are_refused_before_snakemake_takes_them_for_wildcards():
    with pytest.raises(InputError, match="braces"):
        resolve("a{b}.csv")


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("here.csv", "moved.csv", "other.csv")]
    for path, content in zip(paths, ("one", "one", "two"), strict=True):
        path.write_text(content)
    here, moved, other = (Source("file", path).sha256 for path in paths)
    assert here == moved != other


# ---------------------------------------------------------------- the pinned file


@pytest.fixture
def pinned(tmp_path: Path) -> Path:
    path = tmp_path / "reports.csv"
    path.write_text("one")
    (tmp_path / SUMS.name).write_text(f"{'0' * 64}  other.csv\n{sha256(path)}  reports.csv\n")
    return path


def test_the_pinned_file_is_the_one_that_is_listed(pinned: Path) -> None:
    assert Source("pinned", pinned).sha256 == sha256(pinned)
    pinned.write_text("two")
    with pytest.raises(
        InputError, match=r"reports\.csv: its sha256 is [0-9a-f]{8}\.\.\., and SHA256SUMS beside"
    ):
        _ = Source("pinned", pinned).sha256
    assert Source("file", pinned).sha256 == sha256(pinned)  # who names it gets it as it is


@each("listed", [None, "", "0123  other.csv\n", "reports.csv\n"])
def test_a_list_that_lacks_the_file_is_refused(pinned: Path, listed: str | None) -> None:
    sums = pinned.with_name(SUMS.name)
    sums.unlink() if listed is None else sums.write_text(listed)
    with pytest.raises(InputError, match=rf"{sums}: .*; restore it \(git checkout resources/hhs\)"):
        listed_sha256(pinned)


def test_the_repositorys_files_are_those_that_it_lists() -> None:
    listed = (ROOT / SUMS).read_text(encoding="utf-8").splitlines()
    names = {line.split()[1] for line in listed}
    assert names == {path.name for path in (ROOT / SUMS).parent.glob("*.gz")}
    for name in names:
        path = (ROOT / SUMS).with_name(name)
        assert sha256(path) == listed_sha256(path)
        assert re.search(re.escape(name), path.with_name("README.md").read_text(encoding="utf-8"))
