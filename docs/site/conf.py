"""Settings of the documentation site. `make site` builds it; docs/site.md says why it is built this way."""

import sys
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

DOCS = Path(__file__).parents[1]
sys.path[:0] = [str(DOCS / "site"), str(DOCS)]  # DOCS has tables.py

from reference import classes  # noqa: E402

project = "private-experts"
author = "The private-experts authors"
project_copyright = author
html_title = project

extensions = [
    "myst_parser",  # Markdown as on GitHub, with formulas
    "sphinx.ext.autodoc",
    "numpydoc",  # docstrings in NumPy's style
    "sphinx.ext.viewcode",
    "anchors",
    "formulas",
    "map_tables",
    "reference",
    "root_pages",
]
root_doc = "index"
exclude_patterns = ["site/*"]
# names in docstrings may be those of local variables; build.py checks every link that was made
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
# Anchors in the Markdown are HTML, as GitHub wants them, and another page's are unknown to the parser:
# links.py checks on the finished pages that every link leads somewhere.
suppress_warnings = ["myst.xref_missing"]

default_role = "py:obj"
autodoc_typehints = "none"  # the docstrings tell types, with shapes and units
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc shows them
numpydoc_xref_param_type = True  # types of parameters are links, where they are classes of the library
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {word: word for word in DEFAULT_LINKS} | classes(DOCS)
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
