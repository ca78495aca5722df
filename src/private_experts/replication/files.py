"""Checking that a path is a file, and writing one: under another name, then renamed, so nobody sees half."""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

WRITTEN: dict[Path, None] = {}  # the files that this process wrote, in order


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, renamed to it if the block ends well; else it stays."""
    # Some writers choose the format by the suffix, so it is kept. `tempfile` takes longer to load than a
    # short job has.
    aside = path.with_name(f".{path.stem}.{os.getpid()}-{time.time_ns()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield aside
        # Atomic within a folder: a reader sees the old file or the new one.
        aside.replace(path)
        WRITTEN[path] = None
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        # An error that names another file comes from reading in the block, not from writing this one.
        if error.filename is not None:
            named = Path(error.filename)
            if named.parent != path.parent and named not in path.parents:
                raise
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    # Also on an interrupt, or a half-written file would lie there for good.
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def remove_drafts(*folders: Path) -> None:
    """Remove what writers that were killed have left; no other process may write to these folders."""
    for folder in folders:
        for path in folder.rglob(".*"):
            if re.fullmatch(r"\..+\.\d+-\d{19}(\.[^.]+)?", path.name) and path.is_file():
                path.unlink()


def require_file(path: Path, most: int, hint: str) -> None:
    """Refuse what is no regular file (pipes may never end, devices never do), and more than `most` bytes."""
    try:
        facts = path.stat()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError | NotADirectoryError)
        reason = "no such file" if absent else f"cannot be read ({error.strerror})"
        raise InputError(f"{path}: {reason}; {hint}") from error
    if stat.S_ISDIR(facts.st_mode):
        raise InputError(f"{path}: is a directory; {hint}")
    if not stat.S_ISREG(facts.st_mode):
        raise InputError(f"{path}: is a pipe or a device, not a file; {hint}")
    if facts.st_size > most:
        raise InputError(f"{path}: has {facts.st_size:,} bytes, and {most:,} are allowed; {hint}")


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` in one step (UTF-8, Unix line ends)."""
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


def write_csv(path: Path, table: "pd.DataFrame") -> None:
    """Write a table to `path` in one step, without its index."""
    texts = [_texts(column) for _, column in table.items()]
    if len(texts) < 2 or None in texts:  # an empty word alone in its row would have to be quoted
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
        return
    rows = zip(*(text for text in texts if text is not None), strict=True)
    lines = [",".join(map(_quoted, map(str, table.columns))), *map(",".join, rows)]
    write_text(path, "\n".join(lines) + "\n")


def _texts(column: "pd.Series[Any]") -> list[str] | None:
    """Return numbers and words as `to_csv` writes them, in half of its time; None for what is neither."""
    values = column.tolist()
    if column.dtype in ("float64", "int64"):
        return [repr(value) if value == value else "" for value in values]  # what is not a number is left out
    words = dict.fromkeys(values)
    if not all(isinstance(word, str) for word in words):
        return None
    texts = {word: _quoted(word) for word in words}
    return [texts[value] for value in values]


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"' if any(sign in word for sign in ',"\r\n') else word


def sha256(path: Path) -> str:
    """Return the SHA-256 checksum of a file, in hexadecimal."""
    import hashlib

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
