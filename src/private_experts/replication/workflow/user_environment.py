"""What a user's environment may lack, as in containers: a name, a writable home, all characters."""

import getpass
import io
import os
import sys
from pathlib import Path


def provide_user(home: Path = Path(".snakemake/home")) -> None:
    """Give this process and its children a name, and `home` for the caches of Snakemake and others."""
    try:
        getpass.getuser()
    except (KeyError, OSError):  # the latter from Python 3.13 on
        os.environ["LOGNAME"] = str(os.getuid())
    # Path.expanduser raises where there is no home at all.
    if not os.access(os.path.expanduser("~"), os.W_OK):  # noqa: PTH111
        home.mkdir(parents=True, exist_ok=True)
        os.environ["HOME"] = str(home.resolve())


def print_any_character() -> None:
    """Let this process print by name what the terminal's encoding lacks, such as ``≤`` in Latin-1.

    Where standard output was closed it prints to nobody.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="namereplace")
