"""The explorer as a file: what it holds, and that nothing escapes from it."""

import json
import re
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from markupsafe import escape

from private_experts.replication.report.explorer import document
from tests.replication.report.explorer.conftest import Left


def test_the_library_is_the_installed_one_and_its_licence_stays_with_it(made: Left) -> None:
    held = made.output.read_bytes()
    for name in ("bokeh.min.js", "bokeh-widgets.min.js", "bokeh-api.min.js"):
        installed = files("bokeh").joinpath("server", "static", "js", name).read_bytes()
        assert b"<script>" + installed + b"</script>" in held
    licence = distribution("bokeh").read_text("licenses/LICENSE.txt")
    assert str(escape(licence or "?")).encode() in held


def test_the_policy_allows_nothing_that_is_unsafe(made: Left) -> None:
    (policy,) = re.findall(
        r'http-equiv="Content-Security-Policy" content="(.*?)"', made.output.read_text("utf-8")
    )
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy


def test_the_same_records_make_the_same_bytes(made: Left, tmp_path: Path) -> None:
    assert made.make(tmp_path / "again.html") == made.output.read_text(encoding="utf-8")


def test_words_of_the_data_are_shown_and_cannot_end_the_script_that_holds_them(made: Left) -> None:
    text = made.output.read_text(encoding="utf-8")
    assert text.index("reports &lt;of&gt; 12 weeks") < text.index("<noscript>") < text.index("<main")
    embedded = document.embedded({"a": "</script><!-- \u2028", "b": [1, 2]})
    assert embedded == '{"a":"\\u003c/script>\\u003c!-- \\u2028","b":[1,2]}'  # as short as can be
    assert json.loads(embedded) == {"a": "</script><!-- \u2028", "b": [1, 2]}


def test_synthetic_data_is_told_in_the_title_and_on_top(tmp_path: Path, made: Left) -> None:
    provenance = tmp_path / "provenance.json"
    provenance.write_text(
        json.dumps({"label": "SYNTHETIC DATA (seed 1)", "kind": "synthetic"}), encoding="utf-8"
    )
    text = made._replace(provenance=provenance).make(tmp_path / "synthetic.html")
    assert "<title>SYNTHETIC DATA: Explorer</title>" in text
    assert text.count("SYNTHETIC DATA (seed 1)") == 2  # for readers, and below each chart
    assert text.index("nothing can be concluded") < text.index("<main")
    assert "SYNTHETIC" not in made.output.read_text(encoding="utf-8")
