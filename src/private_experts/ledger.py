"""The ledger of claims: what the papers say, in claims/*.yaml, and what came of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from private_experts.errors import InputError


@dataclass(frozen=True)
class Claim:
    """One claim; claims/schema.yaml explains the fields."""

    id: str
    place: str
    standing: Sequence[str]
    kind: str
    statement: str
    latex: str
    check: str
    rule: str
    expected: str | None
    seconds: float
    grid: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    repetitions: int = 2
    cap: int = 2
    needs: str | None = None
    real_data_only: bool = False
    erratum: str | None = None
    note: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.partition("/")[0]

    def effective_grid(self, quick: bool) -> dict[str, Any]:
        """Return the grid, with its quick entries where those are asked for."""
        return {**self.grid, **(self.quick if quick else {})}


def load(paths: Iterable[Path], schema: Path) -> dict[str, Claim]:
    """Read claims, by id, in the order of the files.

    Raises
    ------
    InputError
        When a file is not as claims/schema.yaml says, or an id stands twice.
    """
    validator = Draft202012Validator(yaml.safe_load(Path(schema).read_text(encoding="utf-8")))
    claims: dict[str, Claim] = {}
    for path in paths:
        try:
            content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise InputError(f"{path}: cannot be read ({' '.join(str(error).split())})") from error
        for wrong in validator.iter_errors(content):
            where = ".".join(map(str, wrong.absolute_path))
            raise InputError(f"{path}: {where or 'top'}: {wrong.message}")
        for entry in content["claims"]:
            claim = Claim(**entry)
            if claim.paper != content["paper"]:
                raise InputError(f"{path}: {claim.id} is of another paper than {content['paper']}")
            if claim.id in claims:
                raise InputError(f"{path}: {claim.id} stands twice; give one of them another id")
            claims[claim.id] = claim
    return claims


def entry_of(claim: Claim) -> str:
    """Return the entry point of a claim's check, for its code fingerprint."""
    return f"private_experts.checks.{claim.check}"


def as_expected(expected: str | None, verdict: str, allow_undecided: bool = False) -> bool:
    """Tell whether a verdict is what was expected; where nothing was, or nothing was run, anything is."""
    return expected is None or verdict in (expected, "not run") or (allow_undecided and verdict == "undecided")


def gathered(claims: Mapping[str, Claim], verdicts: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Put each claim beside its verdict, in the ledger's order."""
    return [
        {
            "id": claim.id,
            "paper": claim.paper,
            "place": claim.place,
            "standing": list(claim.standing),
            "kind": claim.kind,
            "statement": claim.statement,
            "latex": claim.latex,
            "rule": claim.rule,
            "check": claim.check,
            "erratum": claim.erratum,
            "note": claim.note,
            "expected": claim.expected,
            "as_expected": as_expected(claim.expected, verdicts[claim.id]["verdict"]),
            **verdicts[claim.id],
        }
        for claim in claims.values()
    ]


def canonical(value: Any) -> str:
    """Return JSON with sorted keys, so that the same value is the same text."""
    return json.dumps(value, sort_keys=True)
