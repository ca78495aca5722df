"""Provenance on the page: code, machine, packages, config and products of a run, and its jobs' times."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from private_experts.replication.plotting.numbers import duration, grouped

# Packages that compute the results. The page lists all others below them.
COMPUTING = ("numpy", "scipy", "pandas", "python-flint", "matplotlib", "snakemake", "private-experts")


def provenance(manifest: Mapping[str, Any], link: Callable[[str], str]) -> dict[str, Any]:
    """Return the code, the machine, the packages, the config and the products of a run, from its manifest."""
    machine, code = manifest["machine"], manifest["code"]
    packages = {name.lower(): version for name, version in machine["packages"].items()}
    outputs = manifest["outputs"]
    return {
        "commit": code["commit"],
        "dirty": code["dirty"],
        "unknown": code.get("unknown", ""),
        "fingerprints": sorted(code["fingerprints"].items()),
        "machine": [
            ("Python", machine["python"]),
            ("system", machine["system"]),
            ("processor", f"{machine['processor']} ({machine['architecture']}), {machine['cores']} cores"),
            (
                "kernels",
                f"OpenBLAS {', '.join(machine['blas'])}; NumPy {', '.join(machine['simd']) or 'none'}",
            ),
        ],
        "seeds": sorted(manifest["seeds"].items()),
        "computing": [(name, packages[name]) for name in COMPUTING if name in packages],
        "packages": sorted(packages.items()),
        "config_sha256": manifest["config"]["sha256"],
        "config": json.dumps(manifest["config"]["values"], indent=2, sort_keys=True),
        "outputs": [
            {"path": path, "link": link(path), "bytes": grouped(output["bytes"]), "sha256": output["sha256"]}
            for path, output in sorted(outputs.items())
        ],
        "reading": [
            {"name": PurePath(path).name, "link": link(path)}
            for path in sorted(outputs)
            if PurePath(path).suffix in (".html", ".ipynb")
        ],
    }


def times(jobs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how long the jobs took, by rule, the longest first; each has a rule, a name and its account."""
    rules: dict[str, list[Mapping[str, Any]]] = {}
    for job in jobs:
        rules.setdefault(job["rule"], []).append(job)
    total = sum(job["seconds"] for job in jobs)
    lines = []
    for rule, of_rule in rules.items():
        slowest = max(of_rule, key=lambda job: job["seconds"])
        seconds = sum(job["seconds"] for job in of_rule)
        lines.append(
            {
                "rule": rule,
                "jobs": len(of_rule),
                "order": seconds,
                "seconds": duration(seconds),
                "cpu": duration(sum(job["cpu"] for job in of_rule)),
                "start": duration(sum(job["start"] for job in of_rule)),
                "share": f"{100 * seconds / total if total else 0:.2f}",
                "memory": f"{max(job['megabytes'] for job in of_rule):.0f} MB",
                "slowest": slowest["name"],
                "longest": duration(slowest["seconds"]),
            }
        )
    return {
        "rules": sorted(lines, key=lambda line: -float(str(line["order"]))),
        "jobs": len(jobs),
        "total": duration(total),
        "cpu": duration(sum(job["cpu"] for job in jobs)),
        "start": duration(sum(job["start"] for job in jobs)),
    }
