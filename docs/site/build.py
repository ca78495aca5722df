"""Build the documentation site into build/site: python docs/site/build.py.

Warnings are errors, and so are links that lead nowhere, anything that a page would load from another host,
and a public name that the search does not find.
"""

import os
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
SITE, CACHE = ROOT / "build/site", ROOT / "build/site-cache"


def main() -> int:
    """Build and check the site; return an exit code."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        print("private-experts: the site needs Sphinx: pip install '.[docs]'", file=sys.stderr)
        return 2
    from links import faults, unfound
    from tutorials import stale

    import private_experts

    if old := stale():
        print(*old, sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(SITE, ignore_errors=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    options = ["-b", "html", "-q", "-W", "--keep-going", "-E", "-c", str(DOCS / "site"), "-d", str(CACHE)]
    if code := build_main([*options, str(DOCS), str(SITE)]):
        return code
    found = [*faults(SITE), *unfound(SITE, private_experts.__all__)]
    for problem in found:
        print(problem, file=sys.stderr)
    if found:
        return 1
    count = len([*SITE.rglob("*.html")])
    print(f"Site:     {(SITE / 'index.html').relative_to(ROOT)}, {count} pages; all links lead somewhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
