import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.workflow.fingerprint import Source, write_stamps
from tests.audit import untracked
from tests.replication.workflow.fingerprint.toy import ENTRY, TOY, edit, reach

LOCK = (
    "numpy==2.1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via scipy\n"
    "win==1 ; sys_platform == 'win32' \\\n    --hash=sha256:cc\n"
)


class Stamps:
    """A small package with a lock, and the stamps of its entries."""

    def __init__(self, root: Path) -> None:
        self.root, self.lock, self.folder = root, root / "requirements.lock", root / "code"
        self.lock.write_text(LOCK)

    def write(self) -> dict[str, Path]:
        source = Source(self.root, "toy", self.folder / "parsed.json")
        return write_stamps([ENTRY, "toy.unrelated:lonely"], self.folder, self.lock, source)

    def packages(self, lock: str) -> str:
        """Return the stamp of the packages that a lock has."""
        self.lock.write_text(lock)
        return self.write()["packages"].read_text()


@pytest.fixture
def stamps(write: Callable[..., Path]) -> Stamps:
    return Stamps(write(TOY))


def test_a_stamp_lists_definitions_and_is_written_only_when_one_changes(stamps: Stamps) -> None:
    paths = stamps.write()
    names = {ENTRY: "stages.run.txt", "toy.unrelated:lonely": "unrelated.lonely.txt"}
    names["packages"] = "packages.txt"
    assert paths == {entry: stamps.folder / name for entry, name in names.items()}
    lines = paths[ENTRY].read_text().splitlines()
    assert lines == [f"{name} {digest}" for name, digest in reach(stamps.root).items()]
    for path in paths.values():
        os.utime(path, (1, 1))
    edit(stamps.root, "stages.py", "# a comment", "# another comment")
    assert stamps.write() == paths
    assert {path.stat().st_mtime for path in paths.values()} == {1}
    edit(stamps.root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    stamps.write()
    assert [path.name for path in paths.values() if path.stat().st_mtime > 1] == ["stages.run.txt"]
    changed = {*paths[ENTRY].read_text().splitlines()} ^ {*lines}
    assert {line.partition(" ")[0] for line in changed} == {"toy.plain:callee"}


def test_nothing_is_followed_again_until_the_source_or_a_stamp_changes(
    stamps: Stamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, followed = stamps.write(), []
    known, reached = paths[ENTRY].read_text(), Source.reach
    monkeypatch.setattr(
        Source, "reach", lambda source, entry: followed.append(entry) or reached(source, entry)
    )
    assert (stamps.write(), followed) == (paths, [])
    for spoil in (lambda: paths[ENTRY].unlink(), lambda: paths[ENTRY].write_text("toy.stages:run 0\n")):
        spoil()
        stamps.write()
        assert (paths[ENTRY].read_text(), len(followed)) == (known, 2)
        followed.clear()
    edit(stamps.root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    stamps.write()
    assert (paths[ENTRY].read_text() == known, len(followed)) == (False, 2)
    followed.clear()
    write_stamps([ENTRY], stamps.folder, stamps.lock, Source(stamps.root, "toy"))
    assert followed == [ENTRY]


def test_only_the_versions_of_the_lock_count(stamps: Stamps) -> None:
    before = stamps.packages(LOCK)
    assert before == f"python {sys.version_info[0]}.{sys.version_info[1]}\nnumpy 2.1.0\n"
    for old, new, same in (
        ("numpy==2.1.0", "numpy==2.1.1", False),
        ("sys_platform == 'win32'", "sys_platform != 'win32'", False),
        ("sha256:bb", "sha256:dd", True),
        ("numpy", "# made by a tool\n--index-url https://example.org\nnumpy", True),
    ):
        assert (stamps.packages(LOCK.replace(old, new, 1)) == before) is same


OLDER, NEWER = (f"python_full_version {sign} '3.12'" for sign in ("<", ">="))


@pytest.mark.parametrize("newer", ["2.1.0", "2.2.0"])
def test_another_python_is_another_stamp_as_it_has_other_versions_by_the_same_lock(
    stamps: Stamps, monkeypatch: pytest.MonkeyPatch, newer: str
) -> None:
    said = []
    for found in ("3.11.2", "3.11.9", "3.12.1"):
        monkeypatch.setattr(platform, "python_version", lambda found=found: found)
        monkeypatch.setattr(platform, "python_version_tuple", lambda found=found: tuple(found.split(".")))
        said.append(stamps.packages(f"numpy==2.1.0 ; {OLDER}\nnumpy=={newer} ; {NEWER}\n"))
    assert said == ["python 3.11\nnumpy 2.1.0\n"] * 2 + [f"python 3.12\nnumpy {newer}\n"]


def test_a_missing_lock_is_an_input_error(stamps: Stamps) -> None:
    stamps.lock.unlink()
    with pytest.raises(InputError, match=r"requirements\.lock"):
        stamps.write()


def test_this_package_tracks_its_own_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(LOCK)
    entry = "private_experts.replication.workflow.fingerprint:write_stamps"
    assert untracked(lambda: write_stamps([entry], tmp_path, tmp_path / "lock"), entry) == set()
