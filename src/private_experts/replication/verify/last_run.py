"""What the last run of the workflow left for the reader's commands: verdicts, evidence and its settings."""

import functools
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.records import read_json, read_rows
from private_experts.replication.study.formats import EVIDENCE, IDLE
from private_experts.replication.study.players import report_noise_files

SEED = 2026  # of the study, where no run tells


class LastRun:
    """Results of a run of the project in `root`, read from folder `results` if needed; maybe none."""

    def __init__(self, root: Path, results: Path) -> None:
        self._root, self._results = root, results

    def __reduce__(self) -> tuple[type["LastRun"], tuple[Path, Path]]:
        """Go to another process as two folders, without what was read from them."""
        return type(self), (self._root, self._results)

    @functools.cached_property
    def study(self) -> dict[str, Any]:
        """Its config."""
        return _record(self._results / "manifest.json").get("config", {}).get("values", {})

    @functools.cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """The claims of its ledger, by id."""
        return {entry["id"]: entry for entry in _record(self._results / "claims.json").get("claims", [])}

    @property
    def seed(self) -> int:
        """Its seed."""
        return int(self.study.get("seed", SEED))

    @property
    def pinned(self) -> bool:
        """Whether it was on the pinned data; a folder without a run tells nothing else."""
        return _record(self._results / "manifest.json").get("data", {}).get("kind", "pinned") == "pinned"

    @property
    def quick(self) -> bool:
        """Whether it checked the claims on their quick grids."""
        return bool(self.study.get("evidence", {}).get("quick", False))

    def rows(self, claim: Claim) -> list[dict[str, str]]:
        """Return the evidence of a claim as text; nothing where it was not run. Refuse lost evidence."""
        path, verdict = self._results / "claims" / f"{claim.id}.csv", self.entries[claim.id]["verdict"]
        if not path.is_file():
            raise InputError(f"{path} is missing; run make reproduce again")
        rows = read_rows(path, IDLE if verdict == "not run" else EVIDENCE)
        return [] if verdict == "not run" else rows

    def inputs_of(self, claim: Claim) -> dict[str, Any]:
        """Return what a claim rests on, as `checking.computed` takes them; refuse if one is missing."""
        if claim.needs is None:
            return {}
        provenance = self._results / "hospital" / "provenance.json"
        states = self.study.get("hospital", {}).get("states", [])
        panels = [self._results / "hospital" / "study" / "panels" / f"{state}.csv" for state in states]
        table = self._root / self.study.get("pathvars", {}).get("paper", "paper") / "tables" / "table-2.csv"
        tables = {"table": table} if claim.needs == "table-2" else {}
        report_noise = (
            list(report_noise_files(self._results, states)) if claim.needs == "report-noise" else []
        )
        # The manifest is written last, so without it the run has not ended and its panels may be of another
        # config.
        wanted = [self._results / "manifest.json", provenance, *panels, *tables.values(), *report_noise]
        missing = next((path for path in wanted if not path.exists()), None)
        if missing is not None:
            raise InputError(
                f"{claim.id} needs hospital data, and {missing} is missing; run make reproduce first"
            )
        return {
            "provenance": provenance,
            "panels": panels,
            **tables,
            **({"report_noise": report_noise} if report_noise else {}),
        }


def _record(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}
