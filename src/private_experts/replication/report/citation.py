"""How page and report cite the project: from CITATION.cff, which GitHub and Zenodo read too."""

from collections.abc import Mapping
from pathlib import Path

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import read_yaml


def byline(path: Path) -> dict[str, str]:
    """Return who made this version when, from CITATION.cff; the DOI is empty until an archive gives one."""
    citation = read_yaml(path)
    for name in ("title", "authors", "version", "date-released"):
        if name not in citation:
            raise InputError(
                f"{path}: {name} is missing; write it as in https://citation-file-format.github.io"
            )
    authors = ", ".join(_name(author) for author in citation["authors"])
    date, doi = str(citation["date-released"]), str(citation.get("doi", ""))
    return {
        "title": citation["title"],
        "authors": authors,
        "version": citation["version"],
        "date": date,
        "doi": doi,
    }


def _name(author: Mapping[str, str]) -> str:
    return f"{author['given-names']} {author['family-names']}" if "family-names" in author else author["name"]
