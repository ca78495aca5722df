"""What a run wrote is read back as it was, and garbage in its place is told in one line."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication import records
from private_experts.replication.records import (
    AGAIN,
    read_json,
    read_records,
    read_rows,
    read_table,
    read_text,
)
from tests.each import each


def test_what_was_written_is_read_back(tmp_path):
    record = {"claims": [1, 2.5, None], "data": "é"}
    table = pd.DataFrame({"mu": [0.1, np.inf], "state": ["NM", "PA"]})
    (tmp_path / "a.json").write_text(json.dumps(record), encoding="utf-8")
    (tmp_path / "a.csv").write_text(table.to_csv(index=False), encoding="utf-8")
    assert read_json(tmp_path / "a.json", ("claims", "data")) == record
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.csv"), table)
    assert read_rows(tmp_path / "a.csv") == [{"mu": "0.1", "state": "NM"}, {"mu": "inf", "state": "PA"}]
    assert read_text(tmp_path / "a.csv").startswith("mu,state\n")


NO_TEXT = b"\xff\xfe\x00 not text"


@each(
    ("read", "content", "message"),
    [
        (read_text, NO_TEXT, "is not text"),
        (read_json, b"{", "is not JSON"),
        (read_json, NO_TEXT, "is not JSON"),
        (read_json, b"[" * 200_000, "is not JSON"),
        (read_json, b"[1]", "must be a JSON object, not a list"),
        (lambda path: read_json(path, ("data", "claims")), b'{"data": 1}', "'claims' is missing"),
        (read_rows, b"a,b\n1,2,3\n", "longer or shorter"),
        (read_rows, b"a,b,a\n1,2,3\n", "column a appears twice"),
        (read_rows, b'a\n"1', "is not CSV"),
        (read_rows, NO_TEXT, "is not CSV"),
        (read_table, b"a,b\n1,2\n1,2,3\n", "is not CSV"),
        (read_table, NO_TEXT, "is not CSV"),
    ],
)
def test_garbage_is_told_in_one_line_with_the_file_and_what_to_do(tmp_path, read, content, message):
    path = tmp_path / "a-record"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read(path)
    line = str(raised.value)
    assert line.startswith(f"{path}: ")
    assert message in line
    assert line.endswith(AGAIN)
    assert "\n" not in line
    assert path.read_bytes() == content


@each("read", [read_text, read_json, read_rows, read_table])
def test_a_pipe_or_a_device_is_refused_at_once(tmp_path, monkeypatch, read):
    pipe = tmp_path / f"{read.__name__}.pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match=f"^{path}: is a pipe or a device, not a file; {AGAIN}$"):
            read(path)
    (tmp_path / "a.json").write_text("{}")
    with monkeypatch.context() as patch:
        patch.setattr(records, "LARGEST", 1)
        with pytest.raises(InputError, match=r"a\.json: has 2 bytes, and 1 are allowed"):
            read(tmp_path / "a.json")


@each("read", [read_text, read_json, read_rows, read_table])
def test_a_missing_file_is_an_error_of_the_system(tmp_path, read):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")


@each("read", [read_rows, read_table, lambda path, columns: read_records([path, path], columns)])
def test_a_table_that_lacks_a_column_is_refused_with_its_name(tmp_path, read):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    read(path, ("b", "a"))
    with pytest.raises(
        InputError, match=r"table.csv: column c is missing; delete it and run make reproduce again"
    ):
        read(path, ("a", "c"))
