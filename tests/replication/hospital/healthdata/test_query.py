"""Queries that are wrong."""

import pytest

from private_experts.errors import InputError
from tests.each import each
from tests.replication.hospital.healthdata.downloading import failure, fetch


@each(
    ("changes", "says"),
    [
        ({"columns": ("hospital_pk", "state")}, "collection_week must be among the columns"),
        ({"states": ("PA", "nm")}, "nm is no postal abbreviation"),
        ({"states": ("X') or ('1'='1",)}, "no postal abbreviation"),
        ({"first_week": "2021/01/08"}, "2021/01/08 is no date"),
        ({"last_week": "20210108"}, "20210108 is no date"),
        ({"last_week": "2021-02-30"}, "2021-02-30 is no date"),
        ({"first_week": "2021-01-15", "last_week": "2021-01-08"}, "2021-01-15 is after 2021-01-08"),
        ({"page_size": 0}, "page_size"),
        ({"page_size": 50_001}, "page_size"),
        ({"sha256": "abc"}, "sha256"),
        ({"sha256": ""}, "sha256"),
    ],
)
def test_a_wrong_query_is_refused_before_any_request(afresh, changes, says):
    with afresh() as (server, destination):
        assert says in failure(server, destination, **changes)
        assert server.requests == []


def test_a_folder_is_no_destination(server, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        fetch(server, tmp_path)
    assert server.requests == []


@each("address", ["healthdata.gov", "ftp://healthdata.gov", "http://"])
def test_a_wrong_address(afresh, address):
    with afresh() as (server, destination):
        failure(server, destination, base_url=address)
