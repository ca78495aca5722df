"""The explorer as one file: data, library, style and scripts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from private_experts.replication.drawing.sealed import policy, templates

HERE = Path(__file__).parent
STYLES = ("uplot.css", "explorer.css")
SCRIPTS = ("uplot.js", "records.js", "charts.js", "explorer.js")


def embedded(data: Mapping[str, Any]) -> Markup:
    """Return data as JSON that may stand in a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def render(data: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """Return the file.

    Parameters
    ----------
    data : mapping
        What the scripts read.
    view : mapping
        What the templates read: the words around the drawings, and the table that needs no scripts.
    """
    styles, scripts = (
        [Markup((HERE / "assets" / name).read_text(encoding="utf-8")) for name in names] for names in (STYLES, SCRIPTS)
    )
    return (
        templates(HERE / "templates")
        .get_template("explorer.html.j2")
        .render(view, zip=zip, policy=policy(styles, scripts), styles=styles, scripts=scripts, records=embedded(data))
    )
