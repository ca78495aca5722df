"""Whether the tables of a run are those that were published."""

import copy
from pathlib import Path
from typing import Any

from private_experts.replication.report import checksums
from private_experts.replication.yaml_text import load_yaml

MANIFEST: dict[str, Any] = {
    "config": {
        "values": {"seed": 1, "hospital": {"data": "pinned", "states": ["NM"]}, "pathvars": {"paper": "out/paper"}}
    },
    "data": {"label": "HHS hospital reports (sha256 16f3d525)"},
    "outputs": {
        "out/paper/tables/a.csv": {"sha256": "aa"},
        "out/paper/tables/b.md": {"sha256": "bb"},
        "out/paper/claims.csv": {"sha256": "cc"},
        "out/paper/figures/f.svg": {"sha256": "dd"},
    },
}
PUBLISHED = checksums.text(MANIFEST)
ALL = checksums.of_all(checksums.of_tables(MANIFEST))


def changed(*path: str, to: object) -> dict[str, Any]:
    """Return the manifest with one value changed."""
    manifest = copy.deepcopy(MANIFEST)
    place = manifest
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return manifest


def test_the_same_tables_are_said_to_be_so_wherever_they_lie():
    assert checksums.compared(MANIFEST, PUBLISHED) == f"3 files, checksum {ALL}: the same tables as published"
    moved = changed("config", "values", "hospital", "data", to="elsewhere.csv")
    assert checksums.compared(moved, PUBLISHED).endswith("the same tables as published")


def test_tables_that_differ_are_named():
    said = checksums.compared(changed("outputs", "out/paper/tables/b.md", "sha256", to="00"), PUBLISHED)
    assert said.endswith("; other than published: tables/b.md")
    assert ALL not in said
    absent = changed("outputs", to={"out/paper/tables/a.csv": {"sha256": "aa"}})
    assert checksums.compared(absent, PUBLISHED).endswith("other than published: claims.csv, tables/b.md")


def test_a_figure_is_no_table():
    assert checksums.compared(changed("outputs", "out/paper/figures/f.svg", "sha256", to="00"), PUBLISHED).endswith(
        "the same tables as published"
    )


def test_other_data_and_configs_are_not_compared():
    tables = changed("outputs", "out/paper/tables/b.md", "sha256", to="00")
    other = tables | {"data": {"label": "SYNTHETIC DATA"}}
    assert checksums.compared(other, PUBLISHED).endswith("; nothing is published of this data")
    small = changed("config", "values", "seed", to=2)
    assert checksums.compared(small, PUBLISHED).endswith("; nothing is published of this config")
    assert checksums.compared(MANIFEST, "").endswith("; nothing is published of this data and config")


def test_what_is_left_out_are_keys_of_the_config():
    study = load_yaml((Path(__file__).parents[3] / "config/study.yaml").read_text(encoding="utf-8"))
    assert {*checksums._PLACES} <= study.keys()
    assert {*checksums._SOURCES} <= study["hospital"].keys()
