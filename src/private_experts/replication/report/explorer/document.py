"""The explorer as one file: data, BokehJS as the installed package has it, style and scripts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bokeh
from bokeh.util.paths import static_path
from markupsafe import Markup

from private_experts.replication.plotting.self_contained_html import policy, templates

HERE = Path(__file__).parent
BEFORE = ("sheets.js",)  # the library
# charts, widgets, and both from scripts
LIBRARY = ("bokeh.min.js", "bokeh-widgets.min.js", "bokeh-api.min.js")
AFTER = ("quantities.js", "explorer.js")


def embedded(data: Mapping[str, Any]) -> Markup:
    """Return data as JSON that may stand in a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # "</script>" in a name would end the element, and U+2028 ends a line for old parsers.
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def render(data: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """Return the file, from what the scripts read (`data`) and what the templates say (`view`)."""
    assets, library = HERE / "assets", static_path() / "js"
    style = _text(assets / "explorer.css")
    paths = [*(assets / name for name in BEFORE), *(library / name for name in LIBRARY)]
    scripts = [_text(path) for path in [*paths, *(assets / name for name in AFTER)]]
    return (
        templates(HERE / "templates")
        .get_template("explorer.html.j2")
        .render(
            view,
            policy=policy([style], scripts),
            style=style,
            scripts=scripts,
            library={
                "version": bokeh.__version__,
                "licence": str(_text(Path(bokeh.__file__).with_name("LICENSE.txt"))),
            },
            records=embedded(data),
        )
    )


def _text(path: Path) -> Markup:
    return Markup(path.read_text(encoding="utf-8"))
