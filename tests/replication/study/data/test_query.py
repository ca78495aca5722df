import json
from dataclasses import replace
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.query import Query, cached_record, parse, record_of
from tests.each import each

QUERY = Query(
    "https://host.example/", "abcd-1234", ["NM", "PA"], "2021-01-01", "2021-01-08", ["beds", "patients"]
)
FOLDER = Path("downloads")


@each(
    "changes",
    [
        {"base_url": "https://other.example"},
        {"dataset": "abcd-1235"},
        {"states": ["NM"]},
        {"states": []},
        {"first_week": "2021-01-08"},
        {"last_week": "2021-01-15"},
        {"columns": ["beds"]},
    ],
)
def test_downloads_of_other_queries_are_cached_in_other_files_and_one_in_another_order_is_no_other(changes):
    assert replace(QUERY, **changes).cache(FOLDER) != QUERY.cache(FOLDER)
    same = replace(QUERY, base_url="https://host.example", states=["PA", "NM"], columns=["patients", "beds"])
    assert same.cache(FOLDER) == QUERY.cache(FOLDER) == FOLDER / "abcd-1234-2686d154.csv.gz"  # found again


def test_a_query_survives_the_command_line():
    assert parse(QUERY.as_json()) == QUERY
    for text in ("", "[]", "{}", '{"dataset": "abcd-1234"}', json.dumps({"web": 1})):
        with pytest.raises(InputError, match="is not the JSON of a download"):
            parse(text)


@each(
    "content, expected",
    [(None, None), ("{", None), ("[]", None), ("{}", None), ('{"sha256": "ab"}', {"sha256": "ab"})],
)
def test_a_download_is_cached_if_there_are_the_file_and_its_record(content, expected, tmp_path):
    download = tmp_path / "reports.csv.gz"
    if content is not None:
        record_of(download).write_text(content)
    assert cached_record(download) is None
    download.touch()
    assert cached_record(download) == expected
    download.unlink()
