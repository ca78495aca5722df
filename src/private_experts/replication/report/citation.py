"""How the project is cited: on the page, in the report, and as CodeMeta and Zenodo, all from CITATION.cff.

CITATION.cff says who, what, which version and which papers; pyproject.toml says what the package needs.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.yaml_text import read_yaml

CODEMETA, ZENODO = "codemeta.json", ".zenodo.json"

Citation = Mapping[str, Any]


def read(root: Path) -> tuple[Citation, Mapping[str, Any]]:
    """Return CITATION.cff and the project's table of pyproject.toml; refuse if the first lacks what is needed."""
    citation = _cff(root / "CITATION.cff")
    return citation, tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _cff(path: Path) -> Citation:
    citation: Citation = read_yaml(path)
    for name in ("title", "authors", "version", "date-released", "license", "references"):
        if name not in citation:
            raise InputError(f"{path}: {name} is missing; write it as in https://citation-file-format.github.io")
    return citation


def byline(path: Path) -> dict[str, str]:
    """Return who made this version and when, from CITATION.cff; the DOI is empty until an archive has given one."""
    citation = _cff(path)
    authors = ", ".join(_byname(each) for each in citation["authors"])
    date, doi = str(citation["date-released"]), str(citation.get("doi", ""))
    return {"title": citation["title"], "authors": authors, "version": citation["version"], "date": date, "doi": doi}


def files(root: Path) -> dict[str, str]:
    """Return the text of each file that follows from CITATION.cff and pyproject.toml, by its name."""
    citation, project = read(root)
    made = {CODEMETA: codemeta(citation, project), ZENODO: zenodo(citation, project)}
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in made.items()}


def codemeta(citation: Citation, project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the project in the words of CodeMeta 3.0."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": citation["version"],
        "datePublished": str(citation["date-released"]),
        **({"identifier": f"https://doi.org/{citation['doi']}"} if "doi" in citation else {}),
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "author": [_agent(each) for each in citation["authors"]],
        "keywords": [*citation["keywords"]],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": [*project["dependencies"]],
        "referencePublication": [article(each) for each in citation["references"]],
    }


def zenodo(citation: Citation, project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the project in the words of a Zenodo deposit."""
    return {
        "title": citation["title"],
        "description": project["description"],
        "upload_type": "software",
        "version": citation["version"],
        "publication_date": str(citation["date-released"]),
        **({"doi": citation["doi"]} if "doi" in citation else {}),
        "license": citation["license"],
        "access_right": "open",
        "creators": [{"name": _name(each)} for each in citation["authors"]],
        "keywords": [*citation["keywords"]],
        "references": [in_words(each) for each in citation["references"]],
        "related_identifiers": [
            {"identifier": f"arXiv:{number}", "relation": "references", "resource_type": "publication-article"}
            for number in map(arxiv, citation["references"])
            if number
        ],
    }


def article(paper: Mapping[str, Any]) -> dict[str, Any]:
    """Return a paper in the words of schema.org."""
    return {
        "@type": "ScholarlyArticle",
        "name": paper["title"],
        "author": [_agent(each) for each in paper["authors"]],
        "datePublished": str(paper["year"]),
        **({"url": paper["url"]} if "url" in paper else {}),
    }


def in_words(paper: Mapping[str, Any]) -> str:
    """Return a paper as a list of references has it."""
    authors = "; ".join(_name(each) for each in paper["authors"])
    number = arxiv(paper)
    return f"{authors}. {paper['title']}. {paper['year']}." + (f" arXiv:{number}" if number else "")


def arxiv(paper: Mapping[str, Any]) -> str | None:
    """Return the number of a paper in arXiv, when it has one."""
    found = re.fullmatch(r"https://arxiv\.org/abs/(\d{4}\.\d{5})", paper.get("url", ""))
    return found[1] if found else None


def _agent(author: Mapping[str, str]) -> dict[str, str]:
    """Return an author; one without a family name is a group."""
    if "family-names" in author:
        return {"@type": "Person", "givenName": author["given-names"], "familyName": author["family-names"]}
    return {"@type": "Organization", "name": author["name"]}


def _byname(author: Mapping[str, str]) -> str:
    return f"{author['given-names']} {author['family-names']}" if "family-names" in author else author["name"]


def _name(author: Mapping[str, str]) -> str:
    return f"{author['family-names']}, {author['given-names']}" if "family-names" in author else author["name"]
