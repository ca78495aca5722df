"""The explorer as one file: data, library, style and scripts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from private_experts.replication.plotting.self_contained_html import policy, templates
from private_experts.replication.report.explorer.library import bokehjs

HERE = Path(__file__).parent
STYLE = "explorer.css"
BEFORE = ("sheets.js",)  # the library
AFTER = ("elements.js", "records.js", "figures.js", "charts.js", "tiles.js", "explorer.js")


def embedded(data: Mapping[str, Any]) -> Markup:
    """Return data as JSON that may stand in a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def asset(name: str) -> Markup:
    """Return what stands in a file of the page's."""
    return Markup((HERE / "assets" / name).read_text(encoding="utf-8"))


def render(data: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """Return the file, from what the scripts read (`data`) and what the templates say (`view`)."""
    library = bokehjs()
    style = asset(STYLE)
    scripts = [*map(asset, BEFORE), *map(Markup, library.scripts), *map(asset, AFTER)]
    return (
        templates(HERE / "templates")
        .get_template("explorer.html.j2")
        .render(
            view,
            zip=zip,
            policy=policy([style], scripts),
            style=style,
            scripts=scripts,
            library=library,
            records=embedded(data),
        )
    )
