"""Pages that are one file: what such a page may load and run is what it holds, and nothing else."""

import base64
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from jinja2 import DictLoader, Environment, StrictUndefined


def policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """Return a content security policy that forbids every request, and every style and script but these."""
    return "; ".join(
        [
            # Whatever a table of a user's data may contain, the page can neither load nor send anything.
            "default-src 'none'",
            "img-src data:",
            f"style-src {' '.join(map(_hash, styles))}",
            f"script-src {' '.join(map(_hash, scripts))}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


@functools.cache
def templates(folder: Path) -> Environment:
    """Return the templates of a folder, each compiled once: that takes longer than to fill it in."""
    return Environment(
        loader=DictLoader({path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
