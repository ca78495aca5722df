"""The commands of README on a bare Debian, with what they take in time and on the disk.

    python3 -m tests.bare                  make smoke, make test, and the container's steps
    python3 -m tests.bare reproduce test   the two commands in full

It makes a Debian of its own from Debian's packages, with nothing of this machine but how packages and data are reached.
There an ordinary user clones the last commit and gives the commands. `image` stands for what the Containerfile and the
Apptainer definition do: an image of which only one folder can be written to, and `make plan` in it.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bare.handed import paths, variables
from tests.bare.root import CannotError, Root, make, workspace

PROJECT = Path(__file__).parents[2]
ADDRESS = "/srv/address"  # of the repository, as README's `git clone` has it
CLONE = "/home/reader/private-experts"
IMAGE = "/opt/private-experts"


class Record:
    """Steps with their seconds, and the megabytes by which they made the system grow."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, int]] = []
        self.root: Root | None = None
        self.size = 0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure a step."""
        print(f"\n=== {name}", flush=True)
        started = time.monotonic()
        yield
        seconds = time.monotonic() - started
        size = self.root.megabytes() if self.root else self.size
        self.rows.append((name, seconds, size - self.size))
        self.size = size

    def table(self) -> str:
        """Return a line for each step."""
        width = max((len(name) for name, _, _ in self.rows), default=0)
        lines = [f"{name:<{width}} {seconds:7.0f} s {size:6d} MB" for name, seconds, size in self.rows]
        total = sum(seconds for _, seconds, _ in self.rows)
        return "\n".join(["", *lines, f"{'in all':<{width}} {total:7.0f} s {self.size:6d} MB", ""])


def _publish(root: Root) -> None:
    """Put the repository's last commit where the bare system can clone it from."""
    target = f"{root.folder}{ADDRESS}"
    subprocess.run(["git", "clone", "--quiet", "--bare", "--no-hardlinks", str(PROJECT), target], check=True)
    root.run("chown", "-R", "1000:1000", ADDRESS, user="0:0", bare=True)


def _image(root: Root, record: Record) -> None:
    """Do what the Containerfile and the Apptainer definition do, and use what comes out."""
    with record.step("image: prepare project"):
        target = f"{root.folder}{IMAGE}"
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", "--no-hardlinks", str(PROJECT), target], check=True)
        root.run("prepare", "project", IMAGE, user="0:0")
    for number in ("first", "second"):
        with record.step(f"image: run plan, {number} time"):
            root.run(f"{IMAGE}/containers/run", "plan", cwd="/study", access="ro")


def main() -> int:
    """Do the steps, and tell what they took."""
    parser = argparse.ArgumentParser(
        prog="make test-bare", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("targets", nargs="*", default=["smoke", "test", "image"], help="targets of make, and `image`")
    parser.add_argument("--minutes", type=float, default=90.0, help="when to give up")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("stopped"))  # so that what was started ends, and the folder goes
    pip = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    given = variables(os.environ, pip.stdout)
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=PROJECT, capture_output=True, text=True, check=True)
    if changed.stdout:
        print("What is tested is the last commit: changes that are not committed are left out.")
    record, until = Record(), time.monotonic() + 60 * options.minutes
    try:
        with workspace() as above:
            with record.step("Debian"):
                root = record.root = make(above, given, paths(given.values()), until)
            with record.step("git, make, Python"):
                tool = f"{root.folder}/usr/local/sbin/prepare"
                subprocess.run(["cp", str(PROJECT / "containers/prepare"), tool], check=True)
                root.run("prepare", "system", user="0:0", bare=True)
            _publish(root)
            with record.step("git clone"):
                root.run("git", "clone", "--quiet", ADDRESS, CLONE)
            for target in options.targets:
                if target == "image":
                    _image(root, record)
                else:
                    with record.step(f"make {target}"):
                        root.run("make", target, cwd=CLONE)
            environment = root.megabytes(f"{CLONE}/.venv")
    except (CannotError, subprocess.CalledProcessError) as error:
        print(f"{record.table()}make test-bare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make test-bare: stopped", file=sys.stderr)
        return 130
    print(f"{record.table()}Of which {environment} MB are packages in .venv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
