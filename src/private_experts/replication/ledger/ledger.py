"""The ledger of claims: what the papers say, from claims/*.yaml, and the verdicts."""

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from private_experts.errors import InputError
from private_experts.replication.ledger import errata, graph
from private_experts.replication.ledger.errata import Erratum
from private_experts.replication.ledger.experiments import Experiment, experiment
from private_experts.replication.ledger.grading import grade
from private_experts.replication.ledger.ranking import reading_order
from private_experts.replication.ledger.verdicts import all_verdicts, differences, surprises
from private_experts.replication.ledger.yaml_text import read_yaml


@dataclass(frozen=True)
class Claim:
    """One claim; claims/schema.yaml explains the fields."""

    id: str
    place: str
    standing: Sequence[str]
    kind: str
    statement: str
    latex: str
    mathematics: str
    check: str
    rule: str
    expected: str | None
    seconds: float
    grid: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    statements: Mapping[str, str | None] = field(
        default_factory=dict
    )  # that it is made of: their known verdicts
    repetitions: int = 2
    cap: int = 2
    needs: str | None = None
    real_data_only: bool = False
    pinned: str | None = None
    headline: int = 0  # its place among the headlines, from 1; 0 for all others
    short: str = ""
    step_of: str = ""
    erratum: str | None = None
    rests_on: Sequence[str] = ()
    survives: str = ""
    unproved: str = ""
    note: str = ""
    enumerated: str = ""
    certificate: str = ""
    lazy: str = ""
    no_lazy: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.partition("/")[0]

    def experiment(self, quick: bool = False) -> Experiment:
        """Return what decides it."""
        return experiment(vars(self), quick)

    def compared(self, record: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return `all_verdicts` of its record, with what each is expected to be and is on the pinned data."""
        known = {"": self.pinned or self.expected, **self.statements}
        return [
            {
                **part,
                "expected": self.expected and known.get(part["name"]),
                "pinned": self.pinned and known.get(part["name"]),
            }
            for part in all_verdicts(record)
        ]


# The figures that tell the story, in this order, by the names of their files. All others come after them, by
# paper.
MAIN_FIGURES = (
    "figure-2",
    "own-counts",
    "000-theorem-3",
    "figure-1",
    "privacy-models",
    "readings",
    "generality",
    "004-privacy-loss",
)


@dataclass(frozen=True)
class Picture:
    """A figure of a paper and the claims that it shows; claims/schema.yaml explains the fields."""

    paper: str
    name: str
    title: str
    caption: str
    alt: str
    draw: str | None = None
    claims: Sequence[str] = ()

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"{self.paper}-{self.name}" if self.draw else self.name


@dataclass(frozen=True)
class Ledger:
    """What all papers say, in the files' order."""

    papers: Mapping[str, str]  # titles by short name
    claims: Mapping[str, Claim]  # by id
    figures: Mapping[str, Picture]  # by stem
    errata: Mapping[str, Erratum] = field(default_factory=dict)  # by name
    addresses: Mapping[str, str] = field(default_factory=dict)  # on the web, by short name

    def on_other_data(self) -> "Ledger":
        """Return it without the expectations that belong to the pinned data."""
        # What the paper says of its data is expected of these alone; on other data it is observed.
        expectations = {
            name: replace(claim, expected=None) if claim.needs else claim
            for name, claim in self.claims.items()
        }
        return replace(self, claims=expectations)

    def on_pinned_data(self) -> "Ledger":
        """Return it as expected of the study's own config on the pinned data, where each verdict is known."""
        expectations = {
            name: replace(claim, expected=claim.pinned or claim.expected)
            for name, claim in self.claims.items()
        }
        return replace(self, claims=expectations)


def read(paths: Iterable[Path], schema: Path) -> Ledger:
    """Read the papers' claims, errata and figures; refuse what breaks the schema, or does not go together."""
    # One for all files: to read the schema takes longer than to check most files.
    validator = Draft202012Validator(read_yaml(schema))
    papers: dict[str, str] = {}
    addresses: dict[str, str] = {}
    claims: dict[str, Claim] = {}
    figures: dict[str, Picture] = {}
    slips: dict[str, Erratum] = {}
    files: dict[str, Path] = {}
    for path in paths:
        content = _content(path, validator)
        papers[content["paper"]] = content["title"]
        addresses[content["paper"]] = content.get("public", "")
        for entry in content["claims"]:
            claim = Claim(**entry)
            if claim.paper != content["paper"]:
                raise InputError(f"{path}: {claim.id} does not belong to paper {content['paper']}")
            if claim.id in claims:
                raise InputError(f"{path}: {claim.id} appears twice; give one of them another id")
            claims[claim.id], files[claim.id] = claim, path
        own = errata.read(path, content["paper"], content.get("errata", []))
        # File by file: an erratum of one paper must not be named by claims of another.
        errata.check(path, own, [(claim["id"], claim.get("erratum")) for claim in content["claims"]])
        slips |= own
        for entry in content.get("figures", []):
            figure = Picture(content["paper"], **entry)
            if figure.stem in figures:
                raise InputError(
                    f"{path}: the figure {figure.stem} appears twice; give one of them another name"
                )
            if unknown := [name for name in figure.claims if name not in claims]:
                raise InputError(f"{path}: the figure {figure.name} shows {unknown[0]}, which is not a claim")
            if figure.draw and not figure.claims:
                raise InputError(f"{path}: the figure {figure.name} has no claims; name those that it shows")
            figures[figure.stem] = figure
    # Only when all files are read, as claims may rest on those of later files.
    _check_headlines(claims, files)
    _check_statements(claims, files)
    _check_steps(claims, files)
    graph.check(graph_of(claims), files.__getitem__)
    return Ledger(papers, claims, figures, slips, addresses)


def _check_headlines(claims: Mapping[str, Claim], files: Mapping[str, Path]) -> None:
    """Refuse two headlines of one place."""
    at: dict[int, str] = {}
    for claim in claims.values():
        if claim.headline and (other := at.setdefault(claim.headline, claim.id)) != claim.id:
            where = f"{files[claim.id]}: {claim.id}: headline"
            raise InputError(f"{where}: {claim.headline} is the place of {other}; write another number")


def _check_statements(claims: Mapping[str, Claim], files: Mapping[str, Path]) -> None:
    """Refuse a verdict that does not follow from those of the statements."""
    for claim in claims.values():
        if known := {*claim.statements.values()}:
            follows = next((verdict for verdict in ("fails", "undecided", None) if verdict in known), "holds")
            if (stated := claim.pinned or claim.expected) != follows:
                raise InputError(
                    f"{files[claim.id]}: {claim.id}: {stated or 'no verdict'} is known of it, and "
                    f"of its statements follows {follows or 'none'}; change one of them"
                )


def _check_steps(claims: Mapping[str, Claim], files: Mapping[str, Path]) -> None:
    """Refuse steps of what is no claim, of another paper, or of a step, and steps that are headlines."""
    for step in claims.values():
        if not step.step_of:
            continue
        served = claims.get(step.step_of)
        where = f"{files[step.id]}: {step.id}: step_of"
        if served is None:
            raise InputError(
                f"{where}: {step.step_of} is not a claim; write the id of the claim that it serves"
            )
        if served.paper != step.paper:
            raise InputError(
                f"{where}: {step.step_of} is of another paper; name a claim of paper {step.paper}"
            )
        if served.step_of or served is step:
            raise InputError(
                f"{where}: {step.step_of} is a step itself; name {served.step_of} or another claim"
            )
        if step.headline:
            raise InputError(
                f"{where}: a headline is counted and cannot be a step; leave out one of the two keys"
            )


def graph_of(claims: Mapping[str, Claim]) -> dict[str, graph.Node]:
    """Return what rests on what, by what is expected of the claims."""
    return {
        name: graph.Node(
            name, claim.rests_on, claim.expected == "fails", claim.erratum, claim.survives, claim.unproved
        )
        for name, claim in claims.items()
    }


def _content(path: Path, validator: Draft202012Validator) -> Any:
    content = read_yaml(path)
    for wrong in validator.iter_errors(content):
        where = ".".join(map(str, wrong.absolute_path))
        raise InputError(f"{path}: {where or 'top'}: {wrong.message}")
    return content


def entry_of(claim: Claim) -> str:
    """Return the entry point of a claim's check, for its code fingerprint."""
    return f"private_experts.replication.papers.{claim.check}"


def drawing_of(figure: Picture) -> str:
    """Return the entry point of the function that draws a figure, for its code fingerprint."""
    return f"private_experts.replication.papers.{figure.draw}"


def code_of(claim: Claim) -> dict[str, Any]:
    """Return the file, below the project, and the line where a claim's check begins; refuse if none."""
    module, _, name = claim.check.partition(":")
    package = Path(__file__).parent
    path = package.with_name("papers").joinpath(*module.split(".")).with_suffix(".py")
    function = _functions(path).get(name) if path.is_file() else None
    if function is None:
        raise InputError(
            f"{claim.id}: there is no check {claim.check}; write module:function of replication/papers"
        )
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return {"file": path.relative_to(package.parents[3]).as_posix(), "line": first}


@functools.cache
def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    """Return the functions of a module by name: many claims ask for those of one module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def mathematics_of(claim: Claim) -> str:
    """Return where the project's documents derive or discuss a claim; nothing if the claim names no place."""
    return f"docs/mathematics/{claim.paper}.md#{claim.mathematics}"


def command_of(claim: Claim, quick: bool = False) -> str:
    """Return the command that recomputes a claim alone."""
    return f"private-experts verify {claim.id}{' --quick' * quick}"


_OF_THE_CHECK = {"quick", "cap", "real_data_only"}  # what an entry of the ledger does not repeat


def gathered(
    ledger: Ledger, verdicts: Mapping[str, Mapping[str, Any]], quick: bool = False
) -> dict[str, Any]:
    """Return each claim with the record of its verdict, in the order of reading, papers and figures."""

    def entry(claim: Claim) -> dict[str, Any]:
        verdict = dict(verdicts[claim.id])
        compared = claim.compared(verdict)
        return {
            **{name: value for name, value in asdict(claim).items() if name not in _OF_THE_CHECK},
            "paper": claim.paper,
            "erratum": asdict(ledger.errata[claim.erratum]) if claim.erratum else None,
            "figures": [stem for stem, figure in ledger.figures.items() if claim.id in figure.claims],
            "grid": claim.experiment(quick).grid,
            "mathematics": mathematics_of(claim),
            "command": command_of(claim, quick),
            "code": {"file": code_of(claim)["file"], "fingerprint": verdict.pop("fingerprint", "")},
            "as_expected": not surprises(compared, allow_undecided=quick),
            "differs": not quick and bool(differences(compared)),
            "grade": grade({**asdict(claim), **verdict}).record(),
            **verdict,
            "statements": compared[1:],
        }

    return {
        "papers": [
            {"paper": paper, "title": title, "public": ledger.addresses.get(paper, "")}
            for paper, title in ledger.papers.items()
        ],
        "claims": reading_order([entry(claim) for claim in ledger.claims.values()]),
        "figures": [
            {
                **asdict(ledger.figures[stem]),
                "name": stem,
                "claims": list(ledger.figures[stem].claims),
                "main": main,
            }
            for main, stems in (
                (True, [stem for stem in MAIN_FIGURES if stem in ledger.figures]),
                (False, [stem for stem in ledger.figures if stem not in MAIN_FIGURES]),
            )
            for stem in stems
        ],
    }
