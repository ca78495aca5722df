import os
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.run.fingerprint import (
    LOCKED,
    Source,
    fingerprint,
    reach,
    recalled,
    recalled_pins,
    stamp,
)
from private_experts.replication.run.fingerprint.stamps import KEPT, NOTED
from tests.audit import untracked
from tests.replication.run.fingerprint.test_memo import EDITS
from tests.replication.run.fingerprint.toy import ENTRY, TOY, edit, put

LOCK = (
    "numpy==2.1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via scipy\n"
    "win==1 ; sys_platform == 'win32' \\\n    --hash=sha256:cc\n"
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("numpy==2.1.0", "numpy==2.1.1", False),
        ("'win32'", "'darwin'", False),
        ("win==1 ;", "win==1;", True),
        ("# via scipy", "# via pandas", True),
        ("sha256:bb", "sha256:dd", True),
        ("numpy", "# made by a tool\n--index-url https://example.org\nnumpy", True),
    ],
)
def test_only_the_pins_of_the_lock_count(write, tmp_path, old, new, same):
    root, lock = write(TOY), tmp_path / "requirements.lock"
    lock.write_text(LOCK)
    before = fingerprint(ENTRY, root, lock)
    assert before != fingerprint(ENTRY, root)
    lock.write_text(LOCK.replace(old, new, 1))
    assert (fingerprint(ENTRY, root, lock) == before) is same


def test_the_order_of_the_pins_does_not_matter(write, tmp_path):
    root, one, two = write(TOY), tmp_path / "one.lock", tmp_path / "two.lock"
    one.write_text("a==1\nb==2\n")
    two.write_text("b==2\n\na==1  # why\n")
    assert fingerprint(ENTRY, root, one) == fingerprint(ENTRY, root, two)


def test_a_missing_lock_is_an_input_error(write, tmp_path):
    with pytest.raises(InputError, match=r"none\.lock"):
        fingerprint(ENTRY, write(TOY), tmp_path / "none.lock")


def test_the_stamp_is_written_only_when_its_text_changes(write, tmp_path):
    root, lock, folder = write(TOY), tmp_path / "requirements.lock", tmp_path / "stamps"
    lock.write_text(LOCK)
    path = stamp(ENTRY, folder, lock=lock, root=root)
    assert path == folder / "stages.run.txt"
    lines = path.read_text().splitlines()
    assert lines[:-1] == [f"{name} {digest}" for name, digest in reach(ENTRY, root).items()]
    assert re.fullmatch("locked versions [0-9a-f]{16}", lines[-1])
    os.utime(path, (1, 1))
    edit(root, "stages.py", "# a comment", "# another comment")
    assert stamp(ENTRY, folder, lock=lock, root=root) == path
    assert path.stat().st_mtime == 1
    edit(root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    stamp(ENTRY, folder, lock=lock, root=root)
    assert path.stat().st_mtime > 1
    changed = set(path.read_text().splitlines()) ^ set(lines)
    assert {line.partition(" ")[0] for line in changed} == {"toy.plain:callee"}


# A module, and a name in each of three packages, that are there or not.
COMING = {
    "missing.py": "def found(x):\n    return x\n",
    "deep/inner/__init__.py": "",
    "part/two.py": "def other(x):\n    return x\n",
}
OPEN = {
    "open.py": """
        try:
            from .missing import found
        except ImportError:
            found = None
        from . import part
        import toy.deep.inner

        def run(x, hand_over):
            return found, hand_over(part), toy.deep.inner.bottom.g(x)
        """,
    "part/__init__.py": "",
    "part/one.py": "def other(x):\n    return x\n",
}


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    steps=st.lists(
        st.tuples(st.sets(st.sampled_from(range(len(EDITS)))), st.sets(st.sampled_from([*COMING]))),
        min_size=2,
        max_size=4,
    )
)
def test_what_was_noted_of_a_stamp_never_changes_what_it_says(tmp_path_factory, steps):
    """A package is edited again and again, forth and back, and one folder serves all of its states."""
    folder = tmp_path_factory.mktemp("stamps")
    for chosen, there in steps:
        root = tmp_path_factory.mktemp("toy")
        put(root / "toy", TOY | OPEN | {name: COMING[name] for name in there})
        for number in chosen:
            edit(root, *EDITS[number])
        for entry in (ENTRY, "toy.open:run"):
            said = [f"{name} {code}" for name, code in reach(entry, root).items()]
            assert stamp(entry, folder, root=root).read_text().splitlines() == said


def test_each_module_that_comes_or_goes_changes_the_stamp_whose_walk_looked_for_it(write, tmp_path):
    root, folder = write(TOY | OPEN), tmp_path / "stamps"
    said = {stamp("toy.open:run", folder, root=root).read_text()}
    for name in ("missing.py", "part/two.py"):
        write({name: COMING[name]})
        said.add(stamp("toy.open:run", folder, root=root).read_text())
        (root / "toy" / name).unlink()
        said.add(stamp("toy.open:run", folder, root=root).read_text())
    assert len(said) == 3


def test_a_module_that_comes_while_a_package_is_read_is_found_the_next_time(write, tmp_path, monkeypatch):
    root, folder = write(TOY | OPEN), tmp_path / "stamps"

    def walk(self, module, name):
        found = original(self, module, name)
        write({"part/two.py": COMING["part/two.py"]})
        return found

    original = Source.walk
    monkeypatch.setattr(Source, "walk", walk)
    stamp("toy.open:run", folder, root=root)
    monkeypatch.undo()
    assert "toy.part.two:other" in stamp("toy.open:run", folder, root=root).read_text()


@pytest.fixture
def walked(monkeypatch) -> list[str]:
    """Return a list that gets the module of each entry that is followed."""
    modules: list[str] = []

    def walk(self, module, name):
        modules.append(module)
        return original(self, module, name)

    original = Source.walk
    monkeypatch.setattr(Source, "walk", walk)
    return modules


def test_a_stamp_is_worked_out_again_only_when_what_it_was_made_from_changed(write, tmp_path, walked, monkeypatch):
    root, lock, folder = write(TOY), tmp_path / "requirements.lock", tmp_path / "stamps"
    lock.write_text(LOCK)

    def follows() -> bool:
        walked.clear()
        path = stamp(ENTRY, folder, lock=lock, root=root)
        assert path.read_text().startswith("".join(f"{name} {code}\n" for name, code in reach(ENTRY, root).items()))
        return walked.count("toy.stages") == 2  # once to see that it says the right thing

    assert follows()
    assert not follows()
    edit(root, "unrelated.py", "return 1", "return 2")
    assert not follows()
    edit(root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    assert follows()
    lock.write_text(LOCK.replace("2.1.0", "2.1.1"))
    assert follows()
    path, noted = folder / "stages.run.txt", folder / NOTED / "stages.run.txt"
    whole = noted.read_text()
    damaged = ("", whole[1:], "\xff", f"{whole}\n/", f"{whole}\np.q/../..")
    for file, text in ((path, "toy.stages:run 0\n"), *((noted, each) for each in damaged)):
        file.write_text(text, encoding="latin-1")
        assert follows()
        assert not follows()
    noted.unlink()
    assert follows()
    for code in ("reader", "_writer"):
        monkeypatch.setattr(f"private_experts.replication.run.fingerprint.stamps.{code}", lambda: b"another version")
        assert follows()


def test_what_a_stamp_said_is_known_by_its_checksum_after_it_was_replaced(write, tmp_path):
    root, folder = write(TOY), tmp_path / "stamps"
    path = stamp(ENTRY, folder, root=root)
    checksum, before = sha256(path), reach(ENTRY, root)
    for factor in range(2, 2 + KEPT):
        edit(root, "plain.py", "shared(x) + " + str(factor - 1), f"shared(x) + {factor}")
        stamp(ENTRY, folder, root=root)
    assert recalled(path, checksum) == before
    assert recalled(path, sha256(path)) == reach(ENTRY, root) != before
    assert recalled(path, "0" * 64) is None


def test_the_oldest_of_the_replaced_stamps_go_first(write, tmp_path):
    root, folder = write(TOY), tmp_path / "stamps"
    sums = []
    for term in range(1, KEPT + 3):
        path = stamp(ENTRY, folder, root=root)
        for kept in (folder / "before" / path.stem).glob("*.txt"):
            os.utime(kept, (sums.index(kept.stem), sums.index(kept.stem)))
        sums.append(sha256(path))
        edit(root, "plain.py", f"shared(x) + {term}", f"shared(x) + {term + 1}")
    assert [recalled(path, each) is None for each in sums] == [True] + [False] * (KEPT + 1)


def test_the_pins_that_a_hash_of_locked_versions_stands_for_are_known(write, tmp_path):
    root, lock, folder = write(TOY), tmp_path / "requirements.lock", tmp_path / "stamps"
    lock.write_text(LOCK)
    path = stamp(ENTRY, folder, lock=lock, root=root)
    versions = recalled(path, sha256(path))[LOCKED]
    lock.write_text(LOCK.replace("2.1.0", "2.1.1"))
    stamp(ENTRY, folder, lock=lock, root=root)
    assert recalled_pins(path, versions) == ["numpy==2.1.0", "win==1 ; sys_platform == 'win32'"]
    assert recalled_pins(path, "another") is None


def test_modules_of_the_same_name_have_stamps_of_their_own(write, tmp_path):
    root = write({"a/rules.py": "def run(): 1\n", "b/rules.py": "def run(): 2\n"})
    names = {stamp(f"toy.{name}.rules:run", tmp_path / "stamps", root=root).name for name in "ab"}
    assert names == {"a.rules.run.txt", "b.rules.run.txt"}


def test_this_package_tracks_its_own_fingerprint(tmp_path):
    entry = "private_experts.replication.run.fingerprint:stamp"
    assert untracked(lambda: stamp(entry, tmp_path), entry) == set()


def test_fifteen_stamps_of_a_package_of_sixty_files_take_less_than_a_second(write, tmp_path):
    function = "\n\ndef f{n}(x):\n    total = [np.log(x + i) for i in range({n})]\n    return sum(total) / len(total)\n"
    body = "import numpy as np\n" + "".join(function.format(n=n) for n in range(20))
    files = {
        f"m{i}.py": f"from .m{i + 1} import f1 as below\n{body}\ndef run(x):\n    return below(x)\n" for i in range(59)
    }
    root = write({**files, "m59.py": body})
    start = time.process_time()
    for i in range(15):
        stamp(f"toy.m{i}:run", tmp_path / "stamps", root=root)
    assert time.process_time() - start < 1
