"""A run as an RO-Crate: which workflow made which files from which data, in a form that archives and tools read.

The profile is Workflow Run Crate 0.5. It tells of the run as a whole: the workflow, its settings and input, its
results with their checksums. What each job did is in the manifest and the logs.
"""

import datetime
import mimetypes
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from private_experts.replication.files import sha256
from private_experts.replication.report.citation import Citation, arxiv, in_words

METADATA = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"

_VERSION = "1.1"  # of RO-Crate, which the profile builds on
_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_TYPES = {".yaml": "application/yaml", ".md": "text/markdown", ".lock": "text/plain", ".smk": "text/x-python"}
_TYPES |= {".csv": "text/csv", ".svg": "image/svg+xml", ".ipynb": "application/x-ipynb+json", ".cff": _TYPES[".yaml"]}


def described(
    files: Mapping[str, Path],
    sources: Collection[str],
    manifest: Mapping[str, Any],
    citation: Citation,
    ended: float,
) -> dict[str, Any]:
    """Return the metadata of a crate of files by their names; the run read `sources`, and made the others."""
    from rocrate.model import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version=_VERSION)
    crate.metadata.extra_contexts.append(_TERMS)
    when = datetime.datetime.fromtimestamp(int(ended), datetime.UTC).isoformat()
    label = manifest["data"]["label"]
    crate.name = f"{citation['title']}: results of a run"
    crate.description = f"Figures, tables, verdicts and evidence, with what made them. Data: {label}."
    crate.datePublished = when
    crate.root_dataset["version"] = citation["version"]
    crate.keywords = [*citation["keywords"]]
    terms = f"https://spdx.org/licenses/{citation['license']}"
    words = {"@type": "CreativeWork", "name": citation["license"], "identifier": terms}
    crate.license = crate.add(ContextEntity(crate, terms, words))
    authors = [
        crate.add(ContextEntity(crate, f"#author-{place}", {"@type": "Organization", "name": each["name"]}))
        for place, each in enumerate(citation["authors"])
        if "name" in each
    ]
    crate.root_dataset["author"] = authors[0] if len(authors) == 1 else authors
    crate.root_dataset["citation"] = [crate.add(_paper(crate, each)) for each in citation["references"]]

    packages = manifest["machine"]["packages"]
    workflow = crate.add_workflow(
        files[WORKFLOW], WORKFLOW, main=True, lang="snakemake", lang_version=packages.get("snakemake")
    )
    workflow["name"], workflow["version"] = citation["title"], manifest["code"]["commit"] or citation["version"]
    workflow["encodingFormat"] = _TYPES[".smk"]
    workflow["conformsTo"] = {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    crate.root_dataset["conformsTo"] = [
        crate.add(ContextEntity(crate, address, {"@type": "CreativeWork", "name": name, "version": version}))
        for address, (name, version) in _PROFILES.items()
    ]
    entities = {
        name: crate.add_file(path, name, properties=_file(name, path))
        for name, path in files.items()
        if name not in (WORKFLOW, METADATA)
    }
    if "README.md" in entities:
        entities["README.md"]["about"] = crate.root_dataset
    seed = crate.add_formal_parameter("seed", "Integer", "#seed", "The seed of the study", valueRequired=True)
    workflow["input"] = seed
    given = {"@type": "PropertyValue", "name": "seed", "value": str(manifest["seeds"]["study"]), "exampleOfWork": seed}
    machine = manifest["machine"]
    action = crate.add_action(
        workflow,
        "#run",
        object=[
            crate.add(_data(crate, manifest["data"])),
            crate.add(ContextEntity(crate, "#seed-of-the-run", given)),
            *(entity for name, entity in entities.items() if name in sources),
        ],
        result=[entity for name, entity in entities.items() if name not in sources],
        properties={
            "name": "make reproduce",
            "description": f"Python {machine['python']} on {machine['system']}, {machine['cores']} cores; "
            f"commit {manifest['code']['commit'] or 'unknown'}{', changed since' * bool(manifest['code']['dirty'])}",
            "endTime": when,
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    crate.root_dataset["mentions"] = action
    found: dict[str, Any] = crate.metadata.generate()
    return found


def _file(name: str, path: Path) -> dict[str, Any]:
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    size = str(path.stat().st_size)
    return {"name": Path(name).name, "encodingFormat": kind, "contentSize": size, "sha256": sha256(path)}


def _paper(crate: Any, paper: Mapping[str, Any]) -> Any:
    from rocrate.model import ContextEntity

    words = {"@type": "ScholarlyArticle", "name": paper["title"], "description": in_words(paper)}
    return ContextEntity(crate, paper["url"] if arxiv(paper) else f"#{paper['title'].lower().replace(' ', '-')}", words)


def _data(crate: Any, provenance: Mapping[str, Any]) -> Any:
    """Return the data that the run read, which is no part of the crate: hospital data is passed on by its publisher."""
    from rocrate.model import ContextEntity

    words = {"@type": "CreativeWork", "name": provenance["label"]}
    if "sha256" in provenance:
        words |= {"alternateName": provenance["name"], "sha256": provenance["sha256"]}
    return ContextEntity(crate, "#hospital-reports", words)
