"""Errata: who made a slip, and how much it matters.

Only what this paper says is an erratum of the paper, and only where it is wrong or lacks a proof. Remarks,
slips of other works, of a copy of the text, of what the paper calls a heuristic, and statements that no
source makes are listed and counted separately.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from private_experts.errors import InputError

PAPER = "paper"
REMARK = "remark"

# Who said it: what ends the ids of such statements.
SUFFIXES = {
    PAPER: "as-printed",
    "companion paper": "in-companion",
    "cited work": "as-cited",
    "transcription": "as-transcribed",
    "heuristic": "as-bound",
    "nobody": "not-claimed",
}

# The same in words, over a statement that does not hold.
HEADINGS = {
    PAPER: "As printed",
    "companion paper": "In the companion paper",
    "cited work": "In a work that the paper cites",
    "transcription": "In a transcription of the paper",
    "heuristic": "The paper's heuristic, taken for a bound",
    "nobody": "What might be thought, but was not claimed",
}

# How much a slip of print matters, the most severe first; claims/schema.yaml says the same. A remark is no
# erratum.
SEVERITIES = {
    "fatal": "a theorem, a guarantee or an algorithm is wrong; the mended one promises something else",
    "proof fails": "the printed proof does not give it, and another proof gives its rate",
    "constant": "it is right with another constant or factor",
    "boundary": "it is false in an extreme case only",
    "misprint": "the meaning is clear, or another place has it right",
    "gap": "a step or a condition is missing, or two places disagree; once supplied, nothing is known to "
    "be false",
    REMARK: "more was said or added than is needed, or less, and no theorem depends on it",
}

# The severity of a slip in a proof alone: the statement may be true.
UNPROVED = "proof fails"

_PRINTED = (PAPER, "companion paper", "cited work")  # whose slips have a severity


@dataclass(frozen=True)
class Erratum:
    """What is known of an erratum besides its claims; claims/schema.yaml explains the fields."""

    name: str
    title: str
    said_by: str
    seen: str
    severity: str | None = None
    why: str = ""


def read(path: Path, paper: str, entries: Iterable[Mapping[str, Any]]) -> dict[str, Erratum]:
    """Return the errata of a file of claims by name; refuse wrong names, missing and needless severities."""
    errata: dict[str, Erratum] = {}
    for entry in entries:
        erratum = Erratum(**entry)
        if erratum.name in errata:
            raise InputError(
                f"{path}: the erratum {erratum.name} appears twice; give one of them another name"
            )
        if not erratum.name.startswith(f"E{paper}-"):
            raise InputError(f"{path}: the erratum {erratum.name} must begin with E{paper}-")
        if erratum.said_by in _PRINTED and erratum.severity is None:
            raise InputError(f"{path}: {erratum.name} has no severity; write one of {', '.join(SEVERITIES)}")
        if erratum.said_by not in _PRINTED and erratum.severity is not None:
            raise InputError(
                f"{path}: {erratum.name} is said by {erratum.said_by}, so leave out its severity"
            )
        # A theorem called wrong without a mechanism would be an accusation, not a finding.
        if erratum.severity == "fatal" and not erratum.why:
            raise InputError(f"{path}: {erratum.name} is fatal; say in `why:` by which mechanism it fails")
        errata[erratum.name] = erratum
    return errata


def check(path: Path, errata: Mapping[str, Erratum], claims: Iterable[tuple[str, str | None]]) -> None:
    """Refuse claims with unknown errata, or ids that do not say who said it; claims are ids with errata."""
    for name, erratum in claims:
        suffix = name.split("/")[2:]
        if erratum is None:
            if suffix:
                raise InputError(
                    f"{path}: {name} ends in /{suffix[0]}, so say with `erratum:` which one it belongs to"
                )
            continue
        if erratum not in errata:
            raise InputError(
                f"{path}: {name}: unknown erratum {erratum}; add it below `errata:` with who said it"
            )
        right = SUFFIXES[errata[erratum].said_by]
        # The id says who made the slip; a wrong one would blame the paper for a transcription, or the
        # reverse.
        if suffix not in ([], [right]):
            said_by = errata[erratum].said_by
            raise InputError(
                f"{path}: {name} ends in /{suffix[0]}, but {erratum} is said by {said_by}: write /{right}"
            )
