"""What a user's environment may lack, as in containers: a name, a writable home, all characters, packages."""

import getpass
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.verify.code_origin import refuse_cause


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


@contextmanager
def extra_named(command: str) -> Iterator[None]:
    """Turn the lack of a package that a command needs into an `InputError` that says how to install it."""
    try:
        yield
    except ImportError as error:
        from importlib.util import find_spec

        name = (error.name or "").partition(".")[0]
        # A package that is there but fails to import is a defect, and must keep its traceback; unless a
        # module of it is gone, or it is not the locked one.
        if not isinstance(error, ModuleNotFoundError) or not name or find_spec(name):
            refuse_cause(Path("requirements.lock"))
            raise
        raise InputError(
            f"{command} needs the package {name}, which is not installed: in the clone, delete "
            ".venv and run make reproduce, or pip install --editable '.[workflow]'"
        ) from error
