"""Modules that are kept on disk: never another answer than reading them anew, whatever lies there."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.run.fingerprint import Source, memo, reach
from tests.replication.run.fingerprint.toy import ENTRY, TOY, edit, put

EDITS = [
    ("stages.py", "called(x), late", "called(2 * x), late"),
    ("stages.py", "import callee as called", "import shared as called"),
    ("constants.py", "DEFAULT = 0.5", "DEFAULT = 0.6"),
    ("plain.py", '"ignore"', '"error"'),
    ("__init__.py", "chosen as", "other as"),
    ("deep/down.py", "..plain import shared", "..plain import unused as shared"),
    ("deep/inner/bottom.py", "x * 3", "x * 4"),
    ("core.py", "x + 1", "x + 3"),
    ("unrelated.py", "return 1", "return 2"),
]


def kept(root: Path, folder: Path) -> dict[str, str]:
    return reach(ENTRY, Source(root, "toy", folder))


@settings(deadline=None, max_examples=25)
@given(steps=st.lists(st.sets(st.sampled_from(range(len(EDITS)))), min_size=1, max_size=4))
def test_what_is_kept_never_changes_the_answer(tmp_path_factory, steps):
    """A package is edited again and again, forth and back, and one folder serves all of its states."""
    folder = tmp_path_factory.mktemp("kept")
    for chosen in steps:
        root = tmp_path_factory.mktemp("toy")
        put(root / "toy", TOY)
        for number in chosen:
            edit(root, *EDITS[number])
        assert kept(root, folder) == reach(ENTRY, root)


@pytest.fixture
def parsed(monkeypatch) -> list[str]:
    """Return a list that gets the name of each module that is parsed."""
    names: list[str] = []

    def parse(name, *given):
        names.append(name)
        return original(name, *given)

    original = memo.parse
    monkeypatch.setattr(memo, "parse", parse)
    return names


def test_only_what_changed_is_parsed_again(write, tmp_path, parsed):
    root, folder = write(TOY), tmp_path / "kept"
    kept(root, folder)
    assert len(parsed) == len(set(parsed)) > 5
    parsed.clear()
    kept(root, folder)
    assert parsed == []
    edit(root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    kept(root, folder)
    assert parsed == ["toy.plain"]


def test_a_module_that_becomes_a_package_is_parsed_again(write, tmp_path, parsed):
    """Its text is the same, but its relative imports lead elsewhere."""
    root = write({"m.py": "from .a import f\ndef run():\n    return f()\n", "a.py": "def f(): 1\n"})
    reach("toy.m:run", Source(root, "toy", tmp_path / "kept"))
    (root / "toy/m").mkdir()
    (root / "toy/m.py").rename(root / "toy/m/__init__.py")
    write({"m/a.py": "def f(): 2\n"})
    assert reach("toy.m:run", Source(root, "toy", tmp_path / "kept")) == reach("toy.m:run", root)
    assert parsed.count("toy.m") > 1


def test_what_another_reader_kept_does_not_count(write, tmp_path, parsed, monkeypatch):
    root, folder = write(TOY), tmp_path / "kept"
    kept(root, folder)
    parsed.clear()
    monkeypatch.setattr(memo, "reader", lambda: b"another version of the code that parses")
    kept(root, folder)
    assert "toy.plain" in parsed


class Whole(NamedTuple):
    """A package, the folder of what is kept of it, and the answer."""

    root: Path
    folder: Path
    answer: dict[str, str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    root = tmp_path_factory.mktemp("toy")
    put(root / "toy", TOY)
    return Whole(root, root / "kept", kept(root, root / "kept"))


@settings(deadline=None, max_examples=30)
@given(place=st.floats(0, 1, exclude_max=True), how=st.sampled_from(["cut", "flip", "empty", "other", "longer"]))
def test_a_damaged_file_is_read_anew_and_mended(whole, place, how):
    file = whole.folder / "toy.plain.json"
    right = file.read_bytes()
    at = int(place * len(right))
    damaged = {
        "cut": right[:at],
        "flip": right[:at] + bytes([right[at] ^ 1]) + right[at + 1 :],
        "empty": b"",
        "other": (whole.folder / "toy.stages.json").read_bytes(),
        "longer": right + b"\n",
    }[how]
    file.write_bytes(damaged)
    try:
        assert kept(whole.root, whole.folder) == whole.answer
        assert file.read_bytes() == right
    finally:
        file.write_bytes(right)


def test_many_may_read_and_write_at_once(write, tmp_path):
    root, folder = write(TOY), tmp_path / "kept"
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda _: kept(root, folder), range(16))]
    assert all(answer == reach(ENTRY, root) for answer in answers)
    assert {path.suffix for path in folder.iterdir()} == {".json"}  # nothing half written is left


def test_what_is_no_python_is_not_kept(write, tmp_path):
    root, folder = write({**TOY, "plain.py": "x = = 2\n"}), tmp_path / "kept"
    for _ in range(2):
        with pytest.raises(InputError, match=r"plain\.py:1: not valid Python"):
            kept(root, folder)
    assert not (folder / "toy.plain.json").exists()
