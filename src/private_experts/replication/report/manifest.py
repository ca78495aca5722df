"""The manifest: everything one needs to know to make the results again."""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from private_experts.replication.files import sha256
from private_experts.replication.report import machine


def _git(root: Path, *arguments: str) -> tuple[str | None, str]:
    """Return what git says of the repository in `root`, or None and why; one around it is another's."""
    # Variables such as GIT_DIR would name another.
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CONFIG" in name
    }
    environment = kept | {"GIT_CEILING_DIRECTORIES": str(root.resolve().parent)}
    words = ["git", "-C", str(root), *arguments]
    try:
        process = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    except OSError as error:
        return None, str(error)
    if process.returncode:
        return None, next(iter(process.stderr.splitlines()), f"git ends with {process.returncode}")
    return process.stdout.strip(), ""


def collect(
    config: Mapping[str, Any],
    root: Path,
    provenance: Mapping[str, Any],
    outputs: Sequence[Path],
    evidence: Sequence[Path],
    stamps: Sequence[Path],
) -> dict[str, Any]:
    """Return the manifest of a run: merged config, products, ledger, evidence, and stamps of its code."""
    # Nothing is known of an archive without git, which is not the same as clean.
    (status, unknown), (commit, _) = _git(root, "status", "--porcelain"), _git(root, "rev-parse", "HEAD")
    return {
        "code": {
            "commit": commit,
            "dirty": None if status is None else bool(status),
            "unknown": unknown,
            "fingerprints": {stamp.stem: sha256(stamp) for stamp in stamps},
        },
        "config": {
            "sha256": hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest(),
            "values": config,
        },
        "data": dict(provenance),
        "machine": {
            **machine.facts(),
            "customized": machine.customized(),
            "packages": {
                name: version(name)
                for name in sorted({distribution.name for distribution in distributions()})
            },
        },
        "outputs": {str(path): {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in outputs},
        "evidence": {str(path): {"sha256": sha256(path)} for path in evidence},
        "seeds": {"study": config["seed"], "synthetic": config["hospital"]["synthetic"]["seed"]},
    }
