"""Whether the tables of a run are those that were published."""

import copy
import functools
import hashlib
import operator
from typing import Any

import pandas as pd

from private_experts.replication.report import checksums
from private_experts.replication.study.data.fetch import describe, from_file
from private_experts.replication.study.data.source import PINNED, SUMS

REPORTS = "hospital_pk,collection_week,state\n010001,2021/01/01,NM\n"
DIGEST = hashlib.sha256(REPORTS.encode()).hexdigest()
WEEK = pd.DataFrame({"collection_week": ["2021-01-01"], "state": ["NM"]})
LABEL = describe(WEEK, {"kind": "pinned", "name": PINNED.name, "sha256": DIGEST})["label"]
HOSPITAL = {"data": "pinned", "states": ["NM"]}
OUTPUTS = {"tables/a.csv": "aa", "tables/b.md": "bb", "claims.csv": "cc", "figures/f.svg": "dd"}
MANIFEST: dict[str, Any] = {
    "config": {"values": {"seed": 1, "hospital": HOSPITAL, "pathvars": {"paper": "out/paper"}}},
    "data": {"label": LABEL},
    "outputs": {f"out/paper/{name}": {"sha256": digest} for name, digest in OUTPUTS.items()},
}
PUBLISHED = checksums.text(MANIFEST)
ALL = checksums.of_all(checksums.of_tables(MANIFEST))


def changed(*path: str, to: object) -> dict[str, Any]:
    """Return the manifest with one value changed."""
    manifest = copy.deepcopy(MANIFEST)
    functools.reduce(operator.getitem, path[:-1], manifest)[path[-1]] = to
    return manifest


def test_the_same_tables_are_said_to_be_so_wherever_they_lie():
    assert checksums.compared(MANIFEST, PUBLISHED) == f"3 files, checksum {ALL}: the same tables as published"
    moved = changed("config", "values", "pathvars", "paper", to="else/paper")
    moved["outputs"] = {path.replace("out/", "else/"): of for path, of in MANIFEST["outputs"].items()}
    assert checksums.compared(moved, PUBLISHED).endswith("the same tables as published")


def test_a_file_has_the_published_data_if_it_is_a_copy_of_the_pinned_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SUMS.parent.mkdir(parents=True)
    SUMS.write_text(f"{DIGEST}  {PINNED.name}\n")
    elsewhere = tmp_path / "elsewhere.csv"

    def line() -> str:
        manifest = changed("config", "values", "hospital", "data", to=str(elsewhere))
        return checksums.compared(manifest | {"data": describe(*from_file(elsewhere, ()))}, PUBLISHED)

    elsewhere.write_text(REPORTS)
    assert line().endswith(": the same tables as published")
    elsewhere.write_text(REPORTS + "\n")  # the same reports in other bytes
    assert line().endswith("; nothing is published of this data")


def test_tables_that_differ_are_named():
    line = checksums.compared(changed("outputs", "out/paper/tables/b.md", "sha256", to="00"), PUBLISHED)
    assert line.endswith("; other than published: tables/b.md")
    assert ALL not in line
    figure = changed("outputs", "out/paper/figures/f.svg", "sha256", to="00")  # which is no table
    assert checksums.compared(figure, PUBLISHED).endswith("the same tables as published")
    for many, more in ((5, "tables/4.csv"), (7, "tables/4.csv and 2 more")):
        listed = {f"out/paper/tables/{n}.csv": {"sha256": "aa"} for n in range(many)}
        several = changed("outputs", to=MANIFEST["outputs"] | listed)
        assert checksums.compared(several, PUBLISHED).endswith(
            f"other than published: {', '.join(f'tables/{n}.csv' for n in range(4))}, {more}"
        )
    absent = changed("outputs", to={"out/paper/tables/a.csv": {"sha256": "aa"}})
    assert checksums.compared(absent, PUBLISHED).endswith("other than published: claims.csv, tables/b.md")


def test_a_table_that_was_made_alone_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "out/paper/tables/a.csv"
    table.parent.mkdir(parents=True)
    table.write_text("1\n")
    told = changed("outputs", "out/paper/tables/a.csv", "sha256", to=hashlib.sha256(b"1\n").hexdigest())
    others = [path for path in checksums.of_tables(told) if path != "tables/a.csv"]
    assert checksums.made_since(told) == others  # which are missing
    table.write_text("2\n")
    assert sorted(checksums.made_since(told)) == sorted(["tables/a.csv", *others])


def test_other_data_and_configs_are_not_compared():
    tables = changed("outputs", "out/paper/tables/b.md", "sha256", to="00")
    other = tables | {"data": {"label": "SYNTHETIC DATA"}}
    assert checksums.compared(other, PUBLISHED).endswith("; nothing is published of this data")
    made_up = tables | {"data": {"label": "SYNTHETIC DATA: 1 week: NM"}}
    assert checksums.compared(made_up, checksums.text(made_up)).endswith("the same tables as published")
    small = changed("config", "values", "seed", to=2)
    assert checksums.compared(small, PUBLISHED).endswith("; nothing is published of this config")
    assert checksums.compared(MANIFEST, "").endswith("; nothing is published of this data and config")
