"""What the results in a folder rest on, so that no run replaces them by results on other data unawares.

There are two such folders, and a config may move each of them alone: results, and the products in ``paper/``.
"""

import html
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.files import sha256, write_text
from private_experts.replication.hospital.kept import Version
from private_experts.replication.hospital.source import FILE_VARIABLE, Source

REPLACE_VARIABLE = "PRIVATE_EXPERTS_REPLACE"
PRODUCTS = "data.json"  # what says in a folder of products which data they rest on
PROVENANCE = "hospital/provenance.json"  # and in a folder of results
PAGE = "index.html"
BANNER = '<p class="alarm" role="alert">{}</p>'
LATER = "A later run, on "
SERVICES: Mapping[Kind, str] = {"healthdata": "healthdata.gov", "delphi": "Delphi Epidata"}
AGAIN = {"file": FILE_VARIABLE, "delphi": "hospital.source and hospital.as_of", "healthdata": "hospital.source"}


def keep(
    resolved: Source,
    folders: Iterable[Path],
    environment: Mapping[str, str] = os.environ,
    *,
    versions: Mapping[Kind, Version] | None = None,
    found: Kind | None = None,
    failed: str = "",
) -> None:
    """Refuse to replace results by those on data of another kind, on a file with another content or another version.

    Nobody would see it happen: a run takes minutes, and whoever forgets to name the file gets synthetic data.

    Parameters
    ----------
    resolved : Source
        What a run would read. Downloads that are still to be tried (``auto``) count as either.
    folders : iterable of Path
        The folders of the results and of the products.
    environment : mapping
        Environment variables. `REPLACE_VARIABLE` says that the replacement is meant.
    versions : mapping, optional
        What is known of the download from each service that the run may rest on.
    found : str, optional
        What ``auto`` came to, once that is known.
    failed : str, optional
        Why it came to that, which is told as well.

    Raises
    ------
    InputError
        If the data differ and nobody said that this is meant.
    """
    if environment.get(REPLACE_VARIABLE, "") not in ("", "0"):
        return
    asked = found or resolved.kind
    for folder in folders:
        record = standing(folder)
        if record is not None and not _same(resolved, asked, record, versions or {}):
            raise InputError(
                f"{failed}{'; ' if failed else ''}{folder}: the results here rest on {record['label']}, and this run "
                f"would replace them by results on {_would(resolved, asked, record['kind'], versions or {})}; "
                f"{_instead(record, versions or {})}, or say that it is meant by {REPLACE_VARIABLE}=1"
            )


def _would(resolved: Source, asked: Kind, kind: Kind, versions: Mapping[Kind, Version]) -> str:
    """Return in words what would replace results on data of a kind."""
    asked = kind if asked == "auto" and kind in SERVICES else asked  # then it is another version from the same service
    if asked in SERVICES:
        return f"a download from {SERVICES[asked]}{versions.get(asked, '')}"
    return {"synthetic": "SYNTHETIC DATA", "file": f"the file {resolved.path}"}.get(asked, "a download")


def _instead(record: Mapping[str, Any], versions: Mapping[Kind, Version]) -> str:
    """Return in words what to do where the results that a record tells of shall stay."""
    kind: Kind = record["kind"]
    version = versions.get(kind)
    if version is None or version.replaces is None or version.replaces != record.get("sha256"):
        again = f"name the same data again ({AGAIN.get(kind, FILE_VARIABLE)})"
        folders = "pathvars.results and pathvars.paper"
    else:  # the very download that they rest on would be replaced
        again = "ask for that again in the config" if version.had else "put back the file and its record"
        folders = "pathvars.results, pathvars.paper and pathvars.resources"
    return f"{again}, write elsewhere ({folders} in a config)"


def _same(resolved: Source, asked: Kind, record: Mapping[str, Any], versions: Mapping[Kind, Version]) -> bool:
    """Return whether a source, which came to be of a kind, is what a record tells of, as far as that is known."""
    kind = record["kind"]
    if kind in SERVICES and asked in ("auto", kind):
        return kind not in versions or versions[kind].may_be(record)
    if asked == kind:
        return resolved.path is None or sha256(resolved.path) == record.get("sha256")
    return resolved.kind == "auto" and kind == "synthetic"  # made because the network was away: tried again


def standing(folder: Path) -> dict[str, Any] | None:
    """Return the record of the data that the results or products in a folder rest on, or None if nothing is known.

    Parameters
    ----------
    folder : Path
        Of results, where the reports tell, or the manifest while these are made again; or of products.
    """
    for name in (PROVENANCE, "manifest.json", PRODUCTS):
        try:
            content = json.loads((folder / name).read_text(encoding="utf-8"))
            record = dict(content.get("data", content))
            return {**record, "kind": str(record["kind"]), "label": str(record["label"])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent or damaged: nothing is known by it
            continue
    return None


def announce(record: Mapping[str, Any], products: Path | None) -> None:
    """Write down beside the products which data they will rest on; a page of other data then says that it is old.

    Parameters
    ----------
    record : mapping
        Of the data of the run that begins.
    products : Path or None
        The folder of the products, if there is one. What lies there is replaced one by one, and the page at the very
        end.
    """
    if products is None:
        return
    before, page = standing(products), products / PAGE
    if before is not None and before["label"] != record["label"] and page.is_file():
        head, body, rest = page.read_text(encoding="utf-8").partition("<body>")
        # Where a run has begun before, and not ended, the record is of that one, and the page of an earlier one still.
        whose = "" if LATER in rest else f"This page is of a run on {before['label']}. "
        text = (
            f"{whose}{LATER}{record['label']}, has begun to replace what lies beside it, and has not ended. Each table "
            "and figure names its own data."
        )
        write_text(page, head + body + BANNER.format(html.escape(text)) + rest)
    write_text(products / PRODUCTS, json.dumps(dict(record), indent=1) + "\n")
