"""A notebook is executed and shown: the same bytes every time, and nothing from elsewhere."""

import json
import re
import sys
from pathlib import Path

import pytest

from private_experts.replication.report import notebook as report
from private_experts.replication.report.notebook import page

HEAD = r"""# %% [markdown]
# # First & last
# Words with $\eta + \frac{2}{\eta} < 5$ and `code`.
#
# $$R_T \le 1$$
"""
TINY = f"""{HEAD}
# %% tags=["first"]
import os

import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.report.notebook_reader import drawn, tabled

print(os.environ["PRIVATE_EXPERTS_RESULTS"].rpartition("/")[2], flush=True)
print(os.environ["PRIVATE_EXPERTS_PAPER"].rpartition("/")[2])
tabled(pd.DataFrame({{"state <1>": ["NM"], "gain": [0.125]}}))

# %%
figure = Figure(figsize=(2, 1), layout="constrained")
figure.subplots().plot([1, 3, 2])
drawn(figure, "a zigzag")
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> Path:
    """Return a folder with the tiny notebook, executed by the command as a rule would."""
    from private_experts.replication.workflow.cli import main

    folder = tmp_path_factory.mktemp("told")
    (folder / "tiny.py").write_text(TINY)
    words = "--source tiny.py --results the-results --paper the-paper --notebook out/tiny.ipynb"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOME", str(folder / "home"))
        patch.delenv("PRIVATE_EXPERTS_RESULTS", raising=False)
        assert main(["notebook", *words.split(), "--page", "out/tiny.html"]) == 0
    return folder


def test_a_notebook_has_what_its_cells_say_and_show(executed):
    cells = json.loads((executed / "out/tiny.ipynb").read_text())["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code"]
    assert [cell["metadata"] for cell in cells] == [{}, {}, {}]
    output, table = cells[1]["outputs"]  # one text, however many messages it came in
    assert "".join(output["text"]) == "the-results\nthe-paper\n"
    assert '<td style="text-align: right">0.12</td>' in "".join(table["data"]["text/html"])
    (picture,) = cells[2]["outputs"]
    assert picture["metadata"]["image/png"] == {"alt": "a zigzag", "width": 200}


def test_it_tells_neither_when_nor_where_it_ran(executed):
    for name in ("tiny.ipynb", "tiny.html"):
        text = (executed / "out" / name).read_text()
        assert str(executed) not in text
        assert sys.executable not in text
        assert not re.search(r"20\d\d-\d\d-\d\d|iopub|\d\.\d+\.\d+\b.*ipykernel", text)


def test_the_page_loads_nothing_and_has_its_formulas_pictures_and_tables(executed):
    text = (executed / "out/tiny.html").read_text()
    assert not [word for word in ("<script", "<link", "@import") if word in text]
    assert not re.search(r"""(?:src|href|action)\s*=\s*(?!["'](?:data:image/png;base64,|#))""", text)
    assert not re.search(r"url\((?!data:)", text)
    for said in ("<title>First &amp; last</title>", "<mfrac>", 'alt="a zigzag"', "state &lt;1&gt;"):
        assert said in text
    assert text.count("<math") == 2
    assert "$" not in re.sub(r"base64,[^\"]*", "", text)
    # and colours of its own for dark screens
    light, dark = text.partition("<style>")[2].rsplit("@media (prefers-color-scheme: dark) {", 1)
    assert '<meta name="color-scheme" content="light dark">' in text
    assert "color-scheme: light dark" in light
    first, second = (re.search(r"\.highlight \.k \{([^}]*)\}", part)[1] for part in (light, dark))
    assert first != second


def test_nothing_is_written_to_the_home_folder(executed):
    kept = [
        path for path in (executed / "home").rglob("*") if path.is_file() and "matplotlib" not in str(path)
    ]
    assert kept == []
    assert sorted(path.name for path in executed.iterdir() if path.name != "home") == ["out", "tiny.py"]


def test_the_same_results_make_the_same_notebook(executed, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    places = {"PRIVATE_EXPERTS_RESULTS": "/else/the-results", "PRIVATE_EXPERTS_PAPER": "/else/the-paper"}
    again = report.executed(executed / "tiny.py", places)
    first = json.loads((executed / "out/tiny.ipynb").read_text())
    assert json.loads(json.dumps(again)) == _joined(first)
    assert page(again) == (executed / "out/tiny.html").read_text()


def _joined(notebook):
    """Return a notebook whose texts are in one piece, as they are in memory."""
    if isinstance(notebook, dict):
        return {name: _joined(value) for name, value in notebook.items()}
    if isinstance(notebook, list):
        texts = bool(notebook) and all(isinstance(line, str) for line in notebook)
        return "".join(notebook) if texts else [_joined(cell) for cell in notebook]
    return notebook


def test_a_cell_that_fails_is_named_in_one_line(tmp_path, command):
    source = tmp_path / "wrong.py"
    source.write_text(f"{HEAD}\n# %%\nx = 1\n\n# %%\n# the second cell\n{{}}['lost']\n\n# %%\nprint('no')\n")
    words = {"source": source, "results": tmp_path, "paper": tmp_path}
    words |= {"notebook": tmp_path / "o.ipynb", "page": tmp_path / "o.html"}
    code, output = command("notebook", *(w for name, path in words.items() for w in (f"--{name}", path)))
    assert code == 2
    assert output == f"private-experts: {source}: cell 2 ('# the second cell') failed: KeyError: 'lost'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.py"]
