"""Formulas of the site as MathML: a browser draws them without a script, a font or a network."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from private_experts.errors import InputError
from private_experts.replication.plotting.formulas import mathml


def _put(writer: HTML5Translator, node: nodes.Element, before: str, after: str) -> None:
    """Write a formula, or a warning (which fails the build) when it cannot be read."""
    try:
        formula = mathml(node.astext().strip(), display=isinstance(node, nodes.math_block))
    except InputError as error:
        logging.getLogger(__name__).warning(str(error), location=node)
        formula = writer.encode(node.astext())
    writer.body.append(f"{before}{formula}{after}")
    raise nodes.SkipNode


def _inline(writer: HTML5Translator, node: nodes.Element) -> None:
    _put(writer, node, "", "")


def _displayed(writer: HTML5Translator, node: nodes.Element) -> None:
    _put(writer, node, '<div class="formula" tabindex="0">', "</div>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
