"""The explorer as a file: what it holds, and that nothing escapes from it."""

import json
import re
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import pandas as pd
from markupsafe import escape

from private_experts.replication.plotting.numbers import level
from private_experts.replication.report.explorer import document
from tests.replication.report.explorer.conftest import STATES, Left


def test_the_library_is_the_installed_one_and_its_licence_stays_with_it(made: Left) -> None:
    held = made.output.read_bytes()
    for name in ("bokeh.min.js", "bokeh-api.min.js"):
        installed = files("bokeh").joinpath("server", "static", "js", name).read_bytes()
        assert b"<script>" + installed + b"</script>" in held
    licence = distribution("bokeh").read_text("licenses/LICENSE.txt")
    assert licence
    assert str(escape(licence)).encode() in held


def test_the_policy_allows_nothing_that_is_unsafe(made: Left) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', made.output.read_text("utf-8"))
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy


def test_the_same_records_make_the_same_bytes(made: Left, tmp_path: Path) -> None:
    assert made.make(tmp_path / "again.html") == made.output.read_text(encoding="utf-8")


def test_the_table_that_needs_no_scripts_has_the_numbers_of_the_records(made: Left) -> None:
    text = made.output.read_text(encoding="utf-8")
    (table,) = re.findall(r'<details id="totals".*?</details>', text, re.DOTALL)
    names = re.findall(r'<th scope="col">(.*?)</th>', table)
    rows = {}
    for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", table):
        state, weeks, mu, *gains = re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
        assert int(weeks) == len(STATES[state].weeks)
        rows[state, mu] = dict(zip(names[3:], gains, strict=True))
    records = made.records()
    last = records[records["week"] == records.groupby("state")["week"].transform("max")]
    labels = {"rw-meta": "RW-Meta", "min-noise": "Min Noise", "uniform": "uniform", "square-root": "square-root sums"}
    seen = 0
    for each in last[last["algorithm"].isin(labels)].itertuples():
        said = rows[each.state, level(each.mu)][labels[each.algorithm]]
        assert said.split(" ")[0] == f"{each.gain:.2f}"
        assert ("±" in said) == (each.spread > 1e-9)
        seen += 1
    assert seen == 3 * (2 * 3 + 1)  # three levels; two states, one of which has the sums
    assert rows["VT", "1"]["square-root sums"] == ""


def test_words_of_the_data_cannot_end_the_script_that_holds_them(made: Left) -> None:
    text = made.output.read_text(encoding="utf-8")
    assert "reports &lt;of&gt; 12 weeks" in text
    embedded = document.embedded({"a": "</script><!-- \u2028"})
    assert "<" not in embedded
    assert json.loads(embedded) == {"a": "</script><!-- \u2028"}


def test_synthetic_data_is_told_in_the_title_and_on_top(tmp_path: Path, made: Left) -> None:
    provenance = tmp_path / "provenance.json"
    provenance.write_text(json.dumps({"label": "SYNTHETIC DATA (seed 1)", "kind": "synthetic"}), encoding="utf-8")
    for name in ("computed", "simulated"):  # of one privacy level, as no curve is looked at
        laws = pd.read_csv(getattr(made, name))
        laws[laws["mu"] == 1].to_csv(tmp_path / name, index=False)
    few = made._replace(provenance=provenance, computed=tmp_path / "computed", simulated=tmp_path / "simulated")
    text = few.make(tmp_path / "synthetic.html")
    assert "<title>SYNTHETIC DATA: Explorer</title>" in text
    assert text.index("nothing can be concluded") < text.index("<main")
    assert "SYNTHETIC" not in made.output.read_text(encoding="utf-8")
