"""The last words of a run."""

from private_experts.replication.report import summary
from private_experts.replication.report.checksums import text


def test_summary_says_the_data_its_shape_and_where_the_page_lies():
    manifest = {
        "config": {"values": {"hospital": {}, "pathvars": {"paper": "results/smoke/paper"}}},
        "outputs": {"results/smoke/paper/tables/a.csv": {"sha256": "aa"}},
        "data": {"kind": "synthetic", "label": "SYNTHETIC DATA (seed 1)", "shape": ["NM: 30 weeks"]},
        "verdicts": ["2 hold", "1 fails"],
    }
    lines = summary.lines(manifest)
    assert lines[0] == "Page:     results/smoke/paper/index.html"
    written = "\n".join(lines)
    counted = "Claims:   2 hold\n          1 fails\nTables:   1 files, checksum "
    for said in ("SYNTHETIC DATA (seed 1)", "make reproduce, without DATA", "NM: 30 weeks", counted):
        assert said in written
    assert summary.lines(manifest, text(manifest))[-1].endswith(": the same tables as published")
    newer = summary.lines(manifest, text(manifest), ["tables/a.csv"])
    assert newer[-1] == "Tables:   tables/a.csv (1 in all) is missing, or newer than the rest: make reproduce"
    assert "Code:" not in written
    unknown = summary.lines(manifest | {"code": {"unknown": "fatal: detected dubious ownership"}})
    assert "Code:     of no known commit (fatal: detected dubious ownership)" in unknown
    customized = summary.lines(manifest | {"machine": {"customized": ["/a/sitecustomize.py"]}})
    assert "Python:   starts with /a/sitecustomize.py, which may change any package" in customized
    assert "Python:" not in written
    found = {"stuck": ["a", "b", "c", "d"], "carried": ["e"]}
    used = {"columns_used": {"patients": "confirmed"}, "remarks": found}
    lines = [f"          {line}" for line in ("stuck: a; b; 2 more, in the manifest", "carried: e")]
    for kind, named in {"file": True, "healthdata": True, "pinned": False}.items():
        ours = summary.lines(manifest | {"data": {"kind": kind, "label": "x"} | used})
        for line in (*lines, "          patients: confirmed"):
            assert (line in ours) is named
    assert "without DATA" not in "\n".join(summary.lines(manifest | {"data": {"kind": "file", "label": "x"}}))
