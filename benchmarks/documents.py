"""Write tables between the marks of docs/performance.md."""

from pathlib import Path

DOCUMENT = Path(__file__).parents[1] / "docs/performance.md"


def write(name, tables):
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(begin)
    DOCUMENT.write_text(f"{before}{begin}\n\n{tables}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def printed(lines):
    """Print lines as they come, and return them as one text."""
    kept = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
    return "\n".join(kept)
