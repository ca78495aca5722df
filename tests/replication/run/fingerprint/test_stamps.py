import os
import re
import time

import pytest

from private_experts.errors import InputError
from private_experts.replication.run.fingerprint import fingerprint, reach, stamp
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
