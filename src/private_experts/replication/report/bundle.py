"""One zip of a run for an archive: page, evidence, tables, figures and manifest, with the workflow that made them.

Files keep their places in the project's folder, so the page's links work wherever the zip is unpacked. Hospital reports
and panels stay out: their publisher passes them on, and the manifest names them. The same results make the same bytes.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import sha256, written_aside
from private_experts.replication.records import AGAIN, read_json
from private_experts.replication.report import citation, crate
from private_experts.replication.report.manifest import changed_since

# What the run read, and what the page links to.
SOURCES = (
    *("Snakefile", "Makefile", "pyproject.toml", "requirements.lock", "environment.yml"),
    "environment.post-deploy.sh",
    *("README.md", "LICENSE", "CITATION.cff", citation.CODEMETA),
    *("config/*.*", "claims/*.*", "workflow/**/*.*"),
    *("docs/*.md", "docs/mathematics/*.md", "docs/tutorials/*.md"),
    *("src/**/*.py", "src/**/templates/*.*", "src/**/assets/*.*"),
    *("paper/replication.py", "paper/replication.bib", "paper/*.tex"),
)
# What a run left, below its results and below the folder of its products.
RESULTS = ("manifest.json", "claims.json", "verdicts.txt", "claims/**/*.csv", "claims/**/*.json")
PRODUCTS = (
    *("*.html", "*.ipynb", "*.pdf", "claims.*", "errata.tex", "figures.tex", "facts.tex"),
    *("figures/*.*", "tables/*.*"),
)

_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell; the crate tells when the run ended


def write(root: Path, results: Path, output: Path) -> int:
    """Write the zip of a run whose results lie in the project's folder `root`, and return the number of its files."""
    record = results / "manifest.json"
    if not record.is_file():
        raise InputError(f"{record}: no such file; run make reproduce first")
    manifest = read_json(record, ("code", "config", "data", "machine", "outputs", "evidence", "seeds"))
    sources = {path.relative_to(root).as_posix(): path for path in _matching(root, SOURCES)}
    files = sources | dict(_results(root, results, manifest))
    for name, told in (manifest["outputs"] | manifest["evidence"]).items():
        if name not in files or sha256(files[name]) != told["sha256"]:
            raise InputError(f"{name}: is not as the run left it; run make reproduce again")
    for path in (results / "verdicts.txt", root / manifest["config"]["values"]["pathvars"]["paper"] / "index.html"):
        if not path.is_file():  # the last that a run writes
            raise InputError(f"{path}: no such file; run make reproduce again")
    code = manifest["code"]
    if code["commit"] and changed_since(root, code["commit"], sources):
        manifest |= {"code": code | {"dirty": True}}  # what is packed is not what that commit has
    cited, _ = citation.read(root)
    metadata = crate.described(files, sources, manifest, cited, record.stat().st_mtime)
    with written_aside(output) as part, zipfile.ZipFile(part, "w") as archive:
        _put(archive, crate.METADATA, json.dumps(metadata, indent=1, ensure_ascii=False).encode())
        for name in sorted(files):
            _put(archive, name, files[name].read_bytes())
    return len(files) + 1


def _results(root: Path, results: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    try:
        products = root / manifest["config"]["values"]["pathvars"]["paper"]
    except KeyError as missing:
        raise InputError(f"{results / 'manifest.json'}: {missing} is missing; {AGAIN}") from missing
    for path in (*_matching(results, RESULTS), *_matching(products, PRODUCTS)):
        try:
            yield path.resolve().relative_to(root.resolve()).as_posix(), path
        except ValueError as error:
            raise InputError(f"{path}: lies outside of {root.absolute()}; write results below it") from error


def _matching(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
