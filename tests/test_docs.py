"""The documents know every claim, what they name exists, and they can be read at once."""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tables
import variety

import private_experts
from private_experts.replication.ledger import items
from private_experts.replication.ledger.errata import PAPER, REMARK, SEVERITIES
from private_experts.replication.study.data import panel
from private_experts.replication.workflow.cli import stages
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.study.plays import a_game, a_panel

ROOT = Path(__file__).parents[1]


def _texts(*patterns: str) -> dict[str, str]:
    """Return texts of the project by path."""
    paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


DOCUMENTS = _texts(
    "*.md", "paper/README.md", "paper/letter.md", "results/README.md", "docs/*.md", "docs/tutorials/*.md"
)
MATHEMATICS = _texts("docs/mathematics/*.md")
WRITTEN = _texts(
    "src/**/*.py", "src/**/*.html", "src/**/*.js", "claims/*.yaml", "tests/**/*.py", "benchmarks/*.py"
)
WRITTEN |= _texts("workflow/**/*.smk", "workflow/**/*.rst", "config/*.yaml", "docs/**/*.py")
WRITTEN |= (
    _texts("paper/replication.py", "paper/replication.bib", "paper/report.tex", "paper/theorems.tex")
    | DOCUMENTS
    | MATHEMATICS
)


def test_the_map_of_the_site_has_every_item_claim_and_erratum() -> None:
    table = tables.map_of_items(KNOWN, items.read(tables.ITEMS))
    assert {*re.findall(r"\[`(00\d/\S+)`\]\(\.\./src/\S+\.py\)", table)} == {*KNOWN.claims}
    # two heads, and our own
    assert table.count("\n| ") == len(items.read(tables.ITEMS)) + 3 * len(KNOWN.papers)
    assert re.findall(r"^\| \[(E\d+-\d+)\]", tables.map_of_errata(KNOWN), re.MULTILINE) == [*KNOWN.errata]
    assert re.findall("<!-- .* -->", DOCUMENTS["docs/map.md"]) == ["<!-- items -->", "<!-- errata -->"]


def test_the_api_reference_is_that_of_the_library() -> None:
    written = {page.name: tables.table_in(page) for page in (ROOT / "docs").glob("api*.md")}
    assert written == tables.api_tables(), "run make docs"


def test_the_api_reference_begins_with_the_top_level_and_names_everything_once() -> None:
    pages = tables.api_tables()
    first, *_ = pages["api.md"].split("## Everything else")
    # it, what it is, an example
    row = re.compile(r"^\| `([\w.]+)` \| \S.* \| `(?:except )?\1\b.+` \|$", re.MULTILINE)
    assert sorted(row.findall(first)) == sorted(
        name for name in private_experts.__all__ if not inspect.ismodule(getattr(private_experts, name))
    )
    listed, package = Counter[str](), ""
    for heading, name in re.findall(
        r"^##+ `(.+)`$|^\| `([\w.]+)` \|", "\n".join(pages.values()), re.MULTILINE
    ):
        package = heading or package
        listed.update([f"{package}.{name}"] if name else [])
    assert {*listed.values()} == {1}
    rooms = [getattr(private_experts, name) for name in private_experts.__all__]
    for room in filter(inspect.ismodule, rooms):
        for name in room.__all__:
            assert any(f"{entry}.".startswith(f"{room.__name__}.{name}.") for entry in listed), name


def _names_read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_what_only_tests_use_of_the_library_stands_in_the_api_reference() -> None:
    package = ROOT / "src/private_experts"
    users = [*package.rglob("*.py"), *(ROOT / "benchmarks").glob("*.py"), ROOT / "paper/replication.py"]
    trees = {path: ast.parse(path.read_bytes()) for path in users if path.name != "__init__.py"}
    statements = [
        (path, statement, {*_names_read(statement)})
        for path, tree in trees.items()
        for statement in tree.body
    ]
    read = Counter(name for _, _, names in statements for name in names)
    listed = set(re.findall(r"^\| `(?:\w+\.)*(\w+)`", "\n".join(tables.api_tables().values()), re.MULTILINE))
    dead = [
        f"{path.relative_to(package)}: {node.name}"
        for path, node, names in statements
        if package in path.parents and package / "replication" not in path.parents
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        if node.name not in {*listed, "attach"}  # which the packages call, and these are not read
        if read[node.name] == (node.name in names)  # by no statement but its own
    ]
    assert dead == []


def test_seconds_that_are_far_off_are_declared_as_they_were_measured(tmp_path: Path) -> None:
    def text(**seconds: int) -> str:
        return "".join(
            f"  - id: 000/{name}\n    seconds: {old}\n    note: n\n" for name, old in seconds.items()
        )

    file = tmp_path / "000.yaml"
    file.write_text(text(slower=6, faster=20, near=4, none=70))
    tables.declare(file, {"000/slower": 9.6, "000/faster": 0.2, "000/near": 4.9})
    assert file.read_text() == text(slower=10, faster=1, near=4, none=70)


def _places(text: str) -> set[str]:
    """Return what a link into a Markdown text can name: its anchors, and headings as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | {*re.findall(r'<a id="([^"]+)">', text)}


def test_links_lead_to_files_and_places_that_exist() -> None:
    dead = []
    for name, text in (DOCUMENTS | MATHEMATICS).items():
        for link in re.findall(r"\]\((?!\w+://)([^)\s]+)\)", text):
            file, _, place = link.partition("#")
            target = (ROOT / name).parent / file if file else ROOT / name
            if not target.exists() or (place and place not in _places(target.read_text(encoding="utf-8"))):
                dead.append(f"{name}: {link}")
    assert dead == []


def _anchors() -> dict[str, list[str]]:
    return {Path(name).stem: re.findall(r'<a id="([^"]+)">', text) for name, text in MATHEMATICS.items()}


def test_every_reference_to_the_mathematics_leads_to_an_anchor_that_stands_once() -> None:
    anchors, reference = _anchors(), re.compile(r"\b(00\d|extensions|leaders)\.md#([\w-]+)")
    named = {(name, *found) for name, text in WRITTEN.items() for found in reference.findall(text)}
    named |= {(item.id, item.paper, item.mathematics) for item in KNOWN.claims.values() if item.mathematics}
    assert len(named) > 100
    assert [place for place in sorted(named) if anchors.get(place[1], []).count(place[2]) != 1] == []
    assert [paper for paper, ids in anchors.items() if len({*ids}) < len(ids)] == []


def test_paths_and_modules_that_a_document_names_exist() -> None:
    dead, package = [], ROOT / "src"
    for name, text in DOCUMENTS.items():
        paths = re.findall(r"`((?:src|tests|docs|workflow|config|claims|benchmarks)/[\w./*-]+)", text)
        modules = re.findall(r"`(private_experts(?:\.\w+)+)", text)
        if name == "docs/adding.md":  # which names files to be written after these changes
            changes = text.partition("## Five changes")[2].partition("## Additions")[0]
            paths = [path for path in re.findall(r"`(\w+/[\w./*-]+)", changes) if "NNN" not in path]
            assert len(paths) > 5
            paths = [path for path in paths if not any((package / "private_experts").glob(path))]
        dead += [path for path in paths if not any(ROOT.glob(path.rstrip("/")))]
        dead += [module for module in modules if not any(package.glob(module.replace(".", "/") + "*"))]
    assert dead == []


def test_the_modules_and_rules_of_the_map_exist() -> None:
    text, package = DOCUMENTS["docs/map.md"].partition("## Items")[0], ROOT / "src/private_experts"
    named = set(re.findall(r"`([\w/*]+/(?:[\w*]+\.py)?)`", text))
    assert len(named) > 20
    assert {
        name for name in named if not any(package.glob(name.rstrip("/"))) and not (ROOT / name).exists()
    } == set()
    cells = re.findall(r"^\|[^|]+\|( `\w+`[^|]*)\|", text, re.MULTILINE)
    rules = {rule for cell in cells for rule in re.findall(r"`(\w+)`", cell)}
    assert len(rules) > 20
    workflow = "".join(WRITTEN[name] for name in WRITTEN if name.endswith(".smk"))
    assert rules <= {*re.findall(r'study\.call\("(\w+)"', workflow)}  # a rule calls the stage of its name


def test_claims_and_commands_that_a_document_names_exist() -> None:
    known = {*KNOWN.claims, "002/mine"}  # which the recipe of docs/adding.md adds
    commands = {stage.replace("_", "-") for stage in stages()}
    dead = []
    for name, text in DOCUMENTS.items():
        claims = re.findall(r"(?<![\w/])(00[0-4]/[a-z0-9-]+(?:/[a-z-]+)?)(?![\w/])", text)
        called = re.findall(r"private-experts ([a-z][a-z0-9-]*)", text)
        dead += [f"{name}: {claim}" for claim in claims if claim not in known]
        dead += [f"{name}: {command}" for command in called if command not in commands]
    assert dead == []


def test_the_study_counts_as_errata_of_the_papers_what_the_papers_say() -> None:
    study = DOCUMENTS["docs/study.md"]
    text = " ".join(study.split())
    papers = [erratum for erratum in KNOWN.errata.values() if erratum.said_by == PAPER]
    own = Counter(erratum.severity for erratum in papers if erratum.severity != REMARK)
    counted = ", ".join(f"{own[severity]} {severity}" for severity in SEVERITIES if own[severity])
    assert f"There are {own.total()}: {counted}." in text
    assert f"Another {len(KNOWN.errata) - len(papers)} slips are not the papers' own," in text
    assert f"and {len(papers) - own.total()} remarks are no errata:" in text
    named = dict(re.findall(r"^\| [^|]*\(`(00\d/[\w-]+)`[^|]*\| ([^|]*) \|", study, re.MULTILINE))
    labels = {
        name: KNOWN.errata[erratum]
        for name in named
        if (erratum := KNOWN.claims[name].erratum) and name in named
    }
    assert {name for name, erratum in labels.items() if erratum.said_by == PAPER} == {
        name for name, severity in named.items() if severity in SEVERITIES
    }
    assert all(
        named[name] == erratum.severity for name, erratum in labels.items() if erratum.said_by == PAPER
    )
    fatal = {name for name, erratum in labels.items() if erratum.severity == "fatal"}
    assert len(fatal) == 3
    assert all(f"`{name}/as-printed`" in DOCUMENTS["README.md"] for name in fatal)  # not the mended claims


def test_the_readme_is_short_and_its_counts_add_up() -> None:
    assert DOCUMENTS["README.md"].count("\n") <= 120
    rows = [
        line.strip("| ").split(" | ") for line in tables.table_in(ROOT / "README.md", "verdicts").splitlines()
    ]
    # Beside the false ones stands how many of them are fatal.
    numbers = ([int(cell.partition(" ")[0]) for cell in row] for row in rows[2:])
    counts = {f"{row[0]:03}": dict(zip(rows[0][1:], row[1:], strict=True)) for row in numbers}
    assert {*counts} == {*KNOWN.papers}
    for row in counts.values():
        assert row["claims"] == sum(
            many for name, many in row.items() if name not in ("claims", "not as expected", "steps")
        )
        assert row["not as expected"] == 0


def test_every_table_of_results_was_written_by_a_run() -> None:
    for name in tables.OF_RUN:
        marked = re.findall("<!-- ([a-z0-9-]+): begin -->", DOCUMENTS[name])
        assert marked
        assert [table for table in marked if not tables.table_in(ROOT / name, table)] == []


def test_a_table_of_results_is_made_of_a_products_file(tmp_path: Path) -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    (tmp_path / "some.md").write_text(f"**A caption.**\n\n{table}\n\nData: none.\n")
    assert tables.copied_table(tmp_path / "some.md") == table


def test_each_score_of_a_reading_stands_beside_how_far_the_column_moves_it(tmp_path: Path) -> None:
    lines = ["| reading | floor | left-out score | least in |", "| --- | --- | --- | --- |"]
    (tmp_path / "readings.md").write_text(
        "\n".join([*lines, "| trend | 2t | 0.083 | 56 % |", "| tree: a |  | 0.1 |  |"])
    )
    moves = tmp_path / "patient-columns-moves.csv"
    moves.write_text("what,floor,moved\ntrend,2t,0.0491\ntree: a,,0.0749\n")
    assert tables.readings(tmp_path).splitlines()[2:] == [
        "| trend | 2t | 0.083 | 0.049 | 56 % |",
        "| tree: a |  | 0.1 | 0.075 |  |",
    ]
    moves.write_text("what,floor,moved\ntrend,none,0.0491\ntree: a,,0.0749\n")
    with pytest.raises(ValueError, match="trend, none is beside"):
        tables.readings(tmp_path)


def test_what_needs_no_learner_is_worked_out_by_hand(tmp_path: Path) -> None:
    (tmp_path / "table-2.csv").write_text(
        "state,weeks,mu,min_noise,min_regret,best_linear,uniform\n"
        "VT,94,inf,1,1,1,1\nNM,94,inf,20,12,30,10\nNM,94,0.5,1,1,1,1\n"
    )
    density = np.array([[0.9, 0.1]] * 3 + [[0.1, 0.2]] * 4 + [[0.7, 0.1]])
    panel.write(tmp_path / "NM.csv", panel.Panel(tuple("12345678"), ("a", "b"), density, np.ones(8)))
    _, _, row = tables.unscored(tmp_path / "table-2.csv", tmp_path).splitlines()
    # (43.91 - 30) / 54 for a missing week, and (4 x 0.2 + 0.7) / 5 in the last five
    assert row == "| NM | 1.50 (1.66) | 0.600 (0.505) | 0.500 | 0.32 | 0.26 | 0.30 |"


def test_the_study_shows_each_kind_of_learners_and_the_slope_of_the_readings() -> None:
    found = tables.table_in(ROOT / "docs/study.md", "limits")
    each = r"\d+ \(trend\), \d+ \(autoregression\), \d+ \(Gaussian process\)"
    counts = rf"clearly more .* in {each} of 12 settings .*, clearly less in {each}, with each of 3 kinds"
    assert re.search(counts, found)
    slope = tables.table_in(ROOT / "docs/readings.md", "slope")
    of_level = (
        r"is (0\.\d\d) \S.*? and (0\.\d\d) \S.*?, where the printed totals give (0\.\d\d) and (0\.\d\d)"
    )
    ours, theirs = (re.findall(of_level, text.replace("\n", " ")) for text in (found, slope))
    assert len(ours) == 1
    assert ours == theirs


def test_the_second_rule_counts_different_hospitals_of_other_states() -> None:
    advice = np.array([[[0, 0], [0, 1], [2, 2]], [[1, 1], [1, 1], [1, 1]]])  # two weeks, three learners
    assert variety.different(advice) == (2 + 3 + 1 + 1) / 4
    found = {name: a_panel(hospitals=count) for name, count in (("NM", 12), ("VT", 9), ("ME", 10))}
    assert [*variety.slice_of(found, ["NM"], 10)] == ["ME"]
    few, many = {"one": [0.1, 0.1, 0.1]}, {"one": [0.1, 0.1, 0.1], "three": [0.001, 1, 1000]}
    match = a_game(panel=a_panel(weeks=30, hospitals=30))
    measured = variety.variety(match, "trend", [2, 8], many)
    assert variety.variety(match, "trend", [2], few) == {"one": 1}
    assert 1 < measured["one"] < measured["three"] <= 6
    assert variety.variety(match, "trend", [2, 8], few)["one"] == measured["one"]
    table = pd.DataFrame({"wide": [3.0, 3.5], "low": [3.5, 2.0]}, index=["trend", "other"])
    shown = variety.shown(table, ("trend", "wide"), 32)
    assert "| trend | 3.00 | 3.50 |" in shown
    assert "The largest: trend, low (3.50); the study plays trend, wide (3.00)." in " ".join(shown.split())


def test_the_times_of_a_run_are_summed_by_rule_and_stand_beside_those_of_another(tmp_path: Path) -> None:
    for name, line in (
        ("now/games/study/main/rw-ftpl", "took 2.00 s, 1.50 s of CPU, 80 MB, 0.50 s of CPU to start"),
        ("now/games/study/main/rw-meta", "took 4.00 s, 3.50 s of CPU, 90 MB, 0.50 s of CPU to start"),
        ("now/page", "took 1.00 s, 1.00 s of CPU, 50 MB, 0.25 s of CPU to start"),
        ("then/games/study/a", "took 9.00 s, 4.00 s of CPU, 80 MB, 0.50 s of CPU to start"),
        ("then/games/study/b", "took 9.00 s, 5.00 s of CPU, 80 MB, 0.50 s of CPU to start"),
        ("then/old", "took 9.00 s, 3.00 s of CPU, 80 MB, 0.50 s of CPU to start"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.log").write_text(f"{line}\n")
    now, before = tmp_path / "now", tmp_path / "before.csv"
    alone = ["| `games` | 2 | 6.0 | 5.0 | 1.0 | 90 |", "| `page` | 1 | 1.0 | 1.0 | 0.2 | 50 |"]
    assert tables.times_table(now, before).splitlines()[2:] == [*alone, "| all | 3 | 7.0 | 6.0 | 1.2 | |"]
    before.write_text(tables.sums_of_rules(tmp_path / "then"))
    assert tables.times_table(now, before).splitlines() == [
        "| rule | jobs | seconds | of CPU | of it to start | most MB | jobs before | of CPU before |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| `games` | 2 | 6.0 | 5.0 | 1.0 | 90 | 2 | 9.0 |",
        "| `page` | 1 | 1.0 | 1.0 | 0.2 | 50 | 0 | 0.0 |",
        "| `old` | 0 | 0.0 | 0.0 | 0.0 | 0 | 1 | 3.0 |",
        "| all | 3 | 7.0 | 6.0 | 1.2 | | 3 | 12.0 |",
    ]
