"""A Debian of its own in a folder, made from Debian's packages, in which commands run and leave nothing behind."""

import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SUITE = "bookworm"  # as in the Containerfile
ENTER = Path(__file__).with_name("enter.sh")
READER = "1000:1000"  # an ordinary user
LEAST = 1.0  # seconds that a step gets, even when time is up
FREE = 6.0  # GB that a run may take for a while
PEOPLE = """
cp /etc/resolv.conf /etc/hosts "$0/etc/"
mkdir -p "$0/home/reader" "$0/study"
echo reader:x:1000:1000::/home/reader:/bin/sh >> "$0/etc/passwd"
echo reader:x:1000: >> "$0/etc/group"
chown 1000:1000 "$0/home/reader" "$0/study"
"""
OWN = ["--user", "--map-auto", "--map-root-user"]  # how one who is not root becomes it inside


class CannotError(Exception):
    """What is missing, in one line."""


@functools.cache
def namespaces() -> tuple[str, ...]:
    """Return the command before a command that makes its user root of something of its own."""
    if shutil.which("unshare") is None:
        raise CannotError("there is no `unshare` (Debian: util-linux), which needs Linux")
    outer = ["unshare", *([] if os.geteuid() == 0 else OWN)]
    tried = subprocess.run([*outer, "--mount", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        said = (tried.stderr.strip().splitlines() or ["no reason told"])[-1]
        raise CannotError(
            f"neither root nor user namespaces are to be had ({said}); run it as root, or see that "
            "`unshare --user --map-auto --map-root-user true` works (Debian: the package uidmap, ranges in /etc/subuid)"
        )
    return tuple(outer)


@dataclass(frozen=True)
class Root:
    """A Debian in a folder, and what of this machine its ordinary user gets."""

    folder: Path
    handed: Mapping[str, str]  # variables
    mounted: Sequence[str]  # files and folders, at the same place
    until: float  # when everything has to be done, in seconds of `time.monotonic`

    def run(self, *command: str, user: str = READER, cwd: str = "/", bare: bool = False, access: str = "rw") -> None:
        """Run a command to its end: `bare`, with nothing handed in; with ``ro`` only /study and /tmp can be written."""
        left = self.until - time.monotonic()
        own = {
            "HOME": "/root" if user == "0:0" else "/home/reader",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        }
        environment = own | ({} if bare else dict(self.handed))
        # The shell is the first process of its namespace: it stays, to clear away what its children leave.
        shell = ["sh", "-c", 'cd "$0" && "$@"; exit $?', cwd, *command]
        inside = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *shell]
        outside = [*namespaces(), "--mount", "--pid", "--fork", "--kill-child", "sh", str(ENTER)]
        places = [] if bare else self.mounted
        try:
            code = subprocess.run(
                [*outside, str(self.folder), user, access, *places, "--", *inside],
                check=False,
                timeout=max(left, LEAST),
            ).returncode
        except subprocess.TimeoutExpired:
            raise CannotError(f"time was up during `{' '.join(command)}`; --minutes grants more") from None
        if code:
            raise CannotError(f"`{' '.join(command)}` ended with code {code}")

    def megabytes(self, path: str = "/") -> int:
        """Return what a path inside takes on the disk, 0 when there is nothing."""
        place = f"{self.folder}{path}"
        if not Path(place).exists():
            return 0
        command = [*namespaces(), "du", "--summarize", "--block-size=1M", "--one-file-system", place]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0])


def _download(archive: Path, until: float) -> None:
    """Let mmdebstrap write the packages that every Debian has, as in the image that the Containerfile starts from."""
    # Of root it mounts things, which go with a namespace of their own; of others it makes such a namespace by itself.
    own = ["unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child"] if os.geteuid() == 0 else []
    command = [*own, "mmdebstrap", "--quiet", "--variant=minbase", SUITE, str(archive)]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(archive.parent)}) as process:
        try:
            code = process.wait(max(until - time.monotonic(), LEAST))
        except subprocess.TimeoutExpired:
            raise CannotError("time was up while mmdebstrap made a Debian; --minutes grants more") from None
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL if own else signal.SIGTERM)
    if code:
        raise CannotError("mmdebstrap could not make a Debian; what it said stands above")


def make(above: Path, handed: Mapping[str, str], mounted: Sequence[str], until: float) -> Root:
    """Make a Debian with an ordinary user in a folder, or say in a `CannotError` what is missing."""
    namespaces()
    if shutil.which("mmdebstrap") is None:
        raise CannotError(
            "there is no `mmdebstrap`, which makes a Debian of Debian's packages: install it with apt-get"
        )
    if shutil.disk_usage(above).free < FREE * 1e9:
        raise CannotError(f"{above.parent} has less than {FREE:g} GB free; set TMPDIR to a folder with more")
    archive, folder = above / "root.tar", above / "root"
    _download(archive, until)
    folder.mkdir()
    subprocess.run([*namespaces(), "tar", "-xf", str(archive), "-C", str(folder), "--exclude=./dev/*"], check=True)
    archive.unlink()
    subprocess.run([*namespaces(), "sh", "-euc", PEOPLE, str(folder)], check=True)
    return Root(folder, handed, mounted, until)


@contextmanager
def workspace() -> Iterator[Path]:
    """Give a folder, and remove it with all that is in it, whatever happens."""
    above = Path(tempfile.mkdtemp(prefix="private-experts-bare-"))
    above.chmod(0o755)  # other users than ours pass through it
    try:
        yield above
    finally:  # nothing is mounted here: mounts were those of commands that have ended
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [
            signal.signal(number, signal.SIG_IGN) for number in numbers
        ]  # who is impatient now still gets it done
        remove = [*namespaces(), "rm", "-rf", "--one-file-system", str(above)]
        subprocess.run(remove, check=False, start_new_session=True)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
