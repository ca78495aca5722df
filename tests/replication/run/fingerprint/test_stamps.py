import os
import re
import time

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.run.fingerprint import LOCKED, fingerprint, reach, recalled, recalled_pins, stamp
from private_experts.replication.run.fingerprint.stamps import KEPT
from tests.audit import untracked
from tests.replication.run.fingerprint.toy import ENTRY, TOY, edit

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
