"""A run refuses to overwrite results computed from other data."""

import json
import os

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.overwrite_guard import (
    REPLACE_VARIABLE,
    announce,
    check,
    data_record,
)
from tests.each import each

MINE, OTHERS = "a" * 64, "b" * 64
DOWNLOAD = "a download from healthdata.gov"


def wrote(folder, record, name="hospital/provenance.json"):
    """Let a folder have results computed from this data."""
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps({"label": "the last data"} | record))
    return path


@each(
    ("record", "new", "would_be"),
    [
        *(({"kind": kind}, {"kind": kind}, "") for kind in ("pinned", "file", "healthdata", "synthetic")),
        ({"kind": "pinned"}, {"kind": "synthetic"}, "SYNTHETIC DATA"),
        ({"kind": "pinned"}, {"kind": "healthdata", "name": "a"}, DOWNLOAD),
        ({"kind": "synthetic"}, {"kind": "file", "name": "mine.csv"}, "the file mine.csv"),
        # The content decides where it is known: a renamed copy is the same data, of whatever kind.
        ({"kind": "pinned", "sha256": MINE}, {"kind": "file", "name": "copy", "sha256": MINE}, ""),
        ({"kind": "file", "sha256": MINE}, {"kind": "file", "name": "b", "sha256": OTHERS}, "the file b"),
        (
            {"kind": "healthdata", "sha256": MINE},
            {"kind": "healthdata", "sha256": OTHERS},
            f"{DOWNLOAD}, sha256 bbbbbbbb",
        ),
        ({"kind": "healthdata", "name": "a"}, {"kind": "healthdata", "name": "b"}, DOWNLOAD),  # a query's
        ({"kind": "healthdata", "name": "a"}, {"kind": "healthdata", "name": "a", "sha256": MINE}, ""),
        ({"kind": "healthdata"}, {"kind": "healthdata", "name": "b", "sha256": OTHERS}, ""),
        ({"kind": "healthdata", "sha256": MINE}, {"kind": "healthdata", "name": "b", "sha256": None}, ""),
    ],
)
def test_results_of_other_data_are_kept_with_what_there_is_and_what_would_come(
    record, new, would_be, tmp_path
):
    wrote(tmp_path, record)
    if not would_be:
        check(new, [tmp_path], {})
        return
    with pytest.raises(InputError) as caught:
        check(new, [tmp_path / "nothing here", tmp_path], {})
    assert str(caught.value) == (
        f"{tmp_path}: the results here were computed from the last data, and this run would overwrite them "
        f"with results computed from {would_be}; use the same data again (DATA=...), write elsewhere "
        f"(pathvars.results and pathvars.paper in a config), or set {REPLACE_VARIABLE}=1"
    )


def test_the_variable_says_yes_or_no_and_nothing_else(tmp_path):
    wrote(tmp_path, {"kind": "pinned"})
    for word in ("1", "true", "Yes", " ON "):
        check({"kind": "synthetic"}, [tmp_path], {REPLACE_VARIABLE: word})
    for word in ("", "0", "false", "No", "OFF"):
        with pytest.raises(InputError, match="the results here were computed from the last data"):
            check({"kind": "synthetic"}, [tmp_path], {REPLACE_VARIABLE: word})
    with pytest.raises(InputError, match=f"^{REPLACE_VARIABLE}=ja: write 1 to overwrite, or 0$"):
        check({"kind": "synthetic"}, [tmp_path], {REPLACE_VARIABLE: "ja"})


@each("content", [None, "", "[]", "{}", '{"data": 1}'])
def test_without_a_record_there_is_nothing_to_keep_and_while_one_is_made_the_manifest_tells(
    content, tmp_path
):
    record = wrote(tmp_path, {})
    record.unlink()
    if content is not None:
        record.write_text(content)
    check({"kind": "synthetic"}, [tmp_path], {})
    manifest = wrote(tmp_path, {"data": {"kind": "file", "label": "HHS"}}, "manifest.json")
    assert data_record(tmp_path) == {"kind": "file", "label": "HHS"}
    manifest.unlink()


def test_a_pipe_tells_nothing_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "manifest.json")
    assert data_record(tmp_path) is None


def test_products_have_their_record_and_a_page_of_other_data_goes_when_a_run_begins(tmp_path):
    real, page = {"kind": "file", "label": "HHS <reports>", "sha256": MINE}, tmp_path / "index.html"
    page.touch()
    announce(real, None)
    for _ in range(2):
        announce(real, tmp_path)
        assert data_record(tmp_path) == real
        assert page.exists()
    announce({"kind": "synthetic", "label": "SYNTHETIC DATA"}, tmp_path)
    assert not page.exists()
    announce(real, tmp_path)  # where there is none
