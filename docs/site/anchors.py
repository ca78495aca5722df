"""Links to a place on the same page that is marked with ``<a id="...">``, as GitHub wants it in Markdown."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class LocalAnchors(SphinxTransform):
    """Settles such links before the parser looks for their targets in the whole project."""

    default_priority = 878  # just before the parser's own ResolveAnchorIds

    def apply(self) -> None:
        """Make links to the page's own anchors plain links."""
        raw = "".join(node.astext() for node in self.document.findall(nodes.raw))
        places = {*re.findall(r'<a id="([^"]+)">', raw)}
        for link in self.document.findall(nodes.reference):
            if link.get("id_link") and link["refuri"][1:] in places:
                del link["id_link"]
                link["internal"] = True


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the transform."""
    app.add_transform(LocalAnchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
