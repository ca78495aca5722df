"""What the last run of the workflow left for the reader's commands: verdicts, evidence and its settings."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.formats import EVIDENCE, IDLE
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.records import read_json, read_rows

SEED = 2026  # of the study, where no run tells


class LastRun:
    """Results of a run, read when they are asked for; without a run there are none.

    - `root`: The project's folder.
    - `results`: Where the run wrote its results.
    """

    def __init__(self, root: Path, results: Path) -> None:
        self._root, self._results = root, results

    @functools.cached_property
    def _manifest(self) -> dict[str, Any]:
        return _record(self._results / "manifest.json")

    @functools.cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """The claims of its ledger, by id."""
        return {entry["id"]: entry for entry in _record(self._results / "claims.json").get("claims", [])}

    @property
    def study(self) -> dict[str, Any]:
        """Its config."""
        return self._manifest.get("config", {}).get("values", {})

    @property
    def seed(self) -> int:
        """Its seed."""
        return int(self.study.get("seed", SEED))

    @property
    def quick(self) -> bool:
        """Whether it checked the claims on their quick grids."""
        return bool(self.study.get("evidence", {}).get("quick", False))

    def strength(self, name: str) -> str | None:
        """Return the strength that it found for a claim; None where it told none."""
        found = self.entries.get(name, {}).get("strength")
        return found.get("name") if isinstance(found, Mapping) else found

    def rows(self, claim: Claim) -> list[dict[str, str]]:
        """Return the evidence of a claim as text; nothing where it was not run."""
        path, verdict = self._results / "claims" / f"{claim.id}.csv", self.entries[claim.id]["verdict"]
        rows = read_rows(path, IDLE if verdict == "not run" else EVIDENCE)
        return [] if verdict == "not run" else rows

    def given(self, claim: Claim) -> dict[str, Any]:
        """Return the results that a claim rests on, as `checking.computed` takes them.

        - raises `InputError`: When one of them is missing.
        """
        if claim.needs is None:
            return {}
        given: dict[str, Any] = {"provenance": self._results / "hospital" / "provenance.json"}
        if claim.needs == "panels":
            states = self.study.get("hospital", {}).get("states", [])
            given["panels"] = [self._results / "hospital" / "study" / "panels" / f"{state}.csv" for state in states]
        else:
            paper = self.study.get("pathvars", {}).get("paper", "paper")
            given["table"] = self._root / paper / "tables" / "table-2.csv"
        wanted = [given["provenance"], *given.get("panels", []), *([given["table"]] if "table" in given else [])]
        unknown = None if self.study else self._results / "manifest.json"
        missing = next((path for path in wanted if not path.exists()), unknown)
        if missing is not None:
            raise InputError(f"{claim.id} needs hospital data, and {missing} is missing; run make reproduce first")
        return given


def _record(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}
