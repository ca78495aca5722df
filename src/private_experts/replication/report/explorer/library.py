"""BokehJS, which draws the charts: its scripts and its licence, as the installed package has them."""

from pathlib import Path
from typing import NamedTuple

import bokeh
from bokeh.util.paths import static_path

_SCRIPTS = ("bokeh.min.js", "bokeh-api.min.js")  # the library; what plots from scripts


class Library(NamedTuple):
    """What a page holds of a library."""

    version: str
    scripts: tuple[str, ...]
    licence: str


def bokehjs() -> Library:
    """Return BokehJS of the package that is installed."""
    folder = static_path() / "js"
    return Library(
        bokeh.__version__,
        tuple((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        Path(bokeh.__file__).with_name("LICENSE.txt").read_text(encoding="utf-8"),
    )
