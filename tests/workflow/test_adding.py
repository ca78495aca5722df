"""The recipes of docs/adding.md, followed to the letter in a copy of the project."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.workflow.conftest import CODE, NEEDED, ROOT, SMALLER, Project, copy_files, lend_parsed

ADDING = ROOT / "docs/adding.md"
STEP = re.compile(
    r"^(?:Write|Add to|Replace in) `(?P<path>[^`]+)`(?: below `(?P<below>[^`]+)`)?:\n\n```\w+\n"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
CHANGE = re.compile(r"```python\n((?:(?!```).)*?)```\n\nby:\n\n```python\n(.*?)```", re.DOTALL)
MINE = "results/mine"


def follow(root: Path, text: str) -> list[str]:
    """Carry out every step of recipes below a folder; return the files touched."""
    touched = []
    for step in STEP.finditer(text):
        path, verb = root / step["path"], step[0].partition(" ")[0]
        touched.append(step["path"])
        if verb == "Write":
            assert not path.exists(), f"{step['path']} is there already; the recipe needs another name"
            path.write_text(step["text"], encoding="utf-8")
        elif verb == "Add":
            before = path.read_text(encoding="utf-8")
            if step["below"]:
                line = f"{step['below']}\n"
                assert line in before, f"{step['path']} has no line {step['below']}"
                place = before.index(line) + len(line)
                path.write_text(before[:place] + step["text"] + before[place:], encoding="utf-8")
            else:
                path.write_text(f"{before.rstrip()}\n\n\n{step['text']}", encoding="utf-8")
    replaced = next((step["path"] for step in STEP.finditer(text) if step[0].startswith("Replace")), "")
    for old, new in CHANGE.findall(text):
        before = (root / replaced).read_text(encoding="utf-8")
        assert before.count(old) == 1, f"{replaced} has {before.count(old)} times {old}"
        (root / replaced).write_text(before.replace(old, new), encoding="utf-8")
    return touched


@pytest.fixture(scope="module")
def added(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a copy of the project in which all recipes were followed and their results were made."""
    root = tmp_path_factory.mktemp("adding") / "project"
    copy_files(root, (*NEEDED, "paper/replication.py", "docs", "tests", "README.md"))
    smaller = SMALLER | {
        "generality": {"states": ["VT"]},
        "hospital": {"data": "synthetic", "synthetic": {"weeks": 30}},
    }
    (root / "config/smaller.yaml").write_text(yaml.safe_dump(smaller))
    # its own figures would be drawn with the added one, from claims in other jobs
    ledger = root / "claims/002.yaml"
    ledger.write_text(
        re.sub(r"(?s)^figures:\n.*", "figures:\n", ledger.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    follow(root, ADDING.read_text(encoding="utf-8"))
    lend_parsed(finished, root)  # to read hundreds of modules takes a second
    shutil.copytree(root / CODE, root / MINE / "code")
    project = Project(root)
    wanted = [
        f"{MINE}/claims/002/mine.json",
        f"{MINE}/batching/tied_shares/2.csv",
        *(f"{MINE}/paper/{path}" for path in ("figures/002-mine.svg", "figures/figure-beds.svg")),
        *(f"{MINE}/paper/tables/{name}.csv" for name in ("quality", "privacy-models")),
    ]
    configs = ("config/smoke.yaml", "config/smaller.yaml", "config/mine.yaml")
    done = project.fork(*wanted, "--no-hooks", "--configfile", *configs)
    complaints = [path.read_text() for path in (root / MINE / "logs").rglob("*.log")]
    assert done.returncode == 0, "".join(complaints) or done.stderr[-3000:]
    return project


def test_a_recipe_touches_as_many_files_as_the_table_says(added: Project) -> None:
    text = ADDING.read_text(encoding="utf-8")
    counts = {
        name: int(count) for name, count in re.findall(r"^\| (an? [^|]*?) \| (\d):", text, re.MULTILINE)
    }
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    counted = {
        part.partition("\n")[0].lower(): len({step["path"] for step in STEP.finditer(part)}) for part in parts
    }
    assert counts == {name: counted[name] for name in counts}


# Fast tests that read the ledger or the documents as they are.
OF_THE_LEDGER = (
    *("tests/test_docs.py", "tests/test_site.py", "tests/test_architecture.py"),
    *("tests/replication/ledger/test_ledger.py", "tests/replication/ledger/test_items.py"),
    "tests/replication/papers/test_every_claim.py",
)


def test_a_claim_is_two_files_and_the_fast_tests_are_green(tmp_path: Path) -> None:
    """No row of a document or of another table is typed beside it, and none waits for a run."""
    root = tmp_path / "project"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    copy_files(root, [name for name in listed.splitlines() if (ROOT / name).is_file()])
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)  # a test asks git what belongs to the project
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    text = ADDING.read_text(encoding="utf-8")
    recipe = text[text.index("\n## A claim\n") : text.index("\n## A figure of claims\n")]
    touched = follow(root, recipe)
    assert touched == ["claims/002.yaml", "src/private_experts/replication/papers/p002/mine.py"]
    words = ("-q", "-p", "no:cacheprovider", "--assert=plain", "-n", "2", *OF_THE_LEDGER)
    done = Project(root).run("-m", "pytest", *words)
    assert done.returncode == 0, done.stdout[-3000:]


def test_a_config_of_ones_own_changes_states_and_levels(added: Project) -> None:
    table = pd.read_csv(added / f"{MINE}/paper/tables/privacy-models.csv")
    assert set(table["state"]) == {"VT"}
    assert set(table["mu"]) == {2.0, 0.5}


def test_a_claim_gets_its_verdict_and_its_figure(added: Project) -> None:
    assert json.loads((added / f"{MINE}/claims/002/mine.json").read_text())["verdict"] == "holds"
    assert (added / f"{MINE}/paper/figures/002-mine.svg").stat().st_size > 1000
    assert pd.read_csv(added / f"{MINE}/claims/002/mine.csv")["certified"].all()  # as tests/evidence asks


def test_the_map_of_the_site_has_the_claim(added: Project) -> None:
    assert added.run("docs/tables.py").returncode == 0
    code = (
        "import sys; sys.path.append('docs'); import tables as t; print(t.map_of_items(t.everything(), ()))"
    )
    done = added.run("-c", code)
    assert "`002/mine`" in done.stdout


def test_a_player_joins_the_privacy_models(added: Project) -> None:
    table = pd.read_csv(added / f"{MINE}/paper/tables/privacy-models.csv")
    assert {"stubborn", "rw-meta", "min-noise"} <= set(table["algorithm"])
    assert "<!-- stubborn (local) -->" in (added / f"{MINE}/paper/figures/privacy-models.svg").read_text(
        encoding="utf-8"
    )


def test_a_config_key_reaches_its_stage(added: Project) -> None:
    configs = ("config/smoke.yaml", "config/smaller.yaml", "config/mine.yaml")
    words = (f"{MINE}/paper/tables/quality.csv", "-n", "--configfile", *configs, "--config")
    again = added.fork(*words, "least_reports=10000")
    assert re.search(r"^quality +1$", again.stdout, re.MULTILINE), again.stdout
    refused = added.fork(*words, "least_reports=-1")
    assert "config: least_reports: -1 is less than the minimum of 0" in refused.stdout + refused.stderr


def test_a_figure_and_a_game_of_their_own_come_out(added: Project) -> None:
    assert "<!-- VT -->" in (added / f"{MINE}/paper/figures/figure-beds.svg").read_text(encoding="utf-8")
    assert (added / f"{MINE}/batching/tied_shares/2.csv").read_text().startswith("experts,share\n2,0.")


def test_the_added_code_keeps_to_the_rules_of_the_house_and_the_battery_finds_the_algorithm(
    added: Project,
) -> None:
    """Lint and the tests of the architecture say nothing of what the recipes add."""
    shutil.copy2(ROOT / "pyproject.toml", added / "pyproject.toml")
    done = added.run("-m", "ruff", "check", "src")
    assert done.returncode == 0, done.stdout
    tests = ("tests/test_architecture.py", "tests/algorithms/test_battery.py")
    words = ("-v", "-p", "no:cacheprovider", "--assert=plain", *tests, "-k", "test_architecture or Stubborn")
    done = added.run("-m", "pytest", *words)
    assert done.returncode == 0, done.stdout[-3000:]
    for test in ("test_architecture.py::test_", r"test_battery.py::test_.*Stubborn"):
        assert re.search(rf"{test}.* PASSED", done.stdout), done.stdout[-3000:]
