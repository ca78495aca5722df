"""The tables of items and errata on the page of the map, from claims/."""

import tables
from sphinx.application import Sphinx

from private_experts.replication.ledger import items


def put_in(app: Sphinx, document: str, source: list[str]) -> None:
    """Write the tables in the place of their marks."""
    if document == "map":
        known = tables.everything()
        source[0] = source[0].replace("<!-- items -->", tables.map_of_items(known, items.read(tables.ITEMS)))
        source[0] = source[0].replace("<!-- errata -->", tables.map_of_errata(known))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to do it."""
    app.connect("source-read", put_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
