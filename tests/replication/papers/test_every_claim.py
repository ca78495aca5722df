"""The ledger and the checks know each other: no claim without a check, no check without a claim."""

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication import papers
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.errata import SUFFIXES
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN, check_of, is_stochastic
from tests.replication.papers.short_grids import assert_lazy, short_grid

LEDGER, CLAIMS = KNOWN, KNOWN.claims
FOLDER = Path(papers.__file__).parent
LAZY = ("000", "001", "002", "003", "004")  # papers whose claims have been asked for their lazy programs


# What a check is given beside its grid, by what its claim needs.
NEEDED = {
    None: [],
    "panels": ["panels"],
    "table-2": ["panels", "table"],
    "report-noise": ["panels", "report_noise"],
}


def is_check(function: Any) -> bool:
    signature = inspect.signature(function)
    return [*signature.parameters][:1] == ["grid"] and "Point" in str(signature.return_annotation)


def faults(claim: Claim) -> Iterator[str]:
    """Tell what is wrong with a claim's entry, whatever its check says."""
    check = check_of(claim.check)
    parameters = inspect.signature(check).parameters.values()
    needed = [each.name for each in parameters if each.default is inspect.Parameter.empty]
    used = {node.id for node in ast.walk(ast.parse(inspect.getsource(check))) if isinstance(node, ast.Name)}
    if unused := {"repetitions", "seed"} & {*needed} - used:
        yield f"the check takes {unused} and does not use them"
    given = [each for each in needed if each not in ("repetitions", "seed")]
    if given != ["grid", *NEEDED[claim.needs]]:
        yield f"the check needs {needed}"
    if not claim.check.startswith(f"p{claim.paper}."):
        yield f"the check {claim.check} belongs to another paper"
    if not re.fullmatch(rf"\d{{3}}/[a-z0-9]+(-[a-z0-9]+)*(/({'|'.join(SUFFIXES.values())}))?", claim.id):
        yield "the id does not name the paper and the claim"
    if claim.erratum and not re.fullmatch(rf"E{claim.paper}-\d+", claim.erratum):
        yield f"the erratum {claim.erratum} is not named after the paper"
    if not {*claim.quick} <= {*claim.grid}:
        yield "the quick grid has parameters that the grid lacks"
    # games are played
    repeated = is_stochastic(claim) or (claim.kind == "reproduction" and "mu" in claim.grid)
    stated = claim.repetitions >= 10
    if claim.cap < claim.repetitions or (stated != repeated and claim.kind != "by construction"):
        yield "repetitions are stated where there are none, or are too few, or are capped below the start"
    if not re.fullmatch(r"([A-Z$]|delta\(eps\)).*\.", " ".join(claim.statement.split())):
        yield "the statement is no sentence"
    if not claim.rule.strip().endswith("."):
        yield "the rule is no sentence"
    of_regret = claim.expected != "fails" and re.search(
        r"\b(regret|risk)s?\b", claim.statement, re.IGNORECASE
    )
    said = [words for words in (claim.lazy, claim.no_lazy) if words]
    if len(said) > 1 or (claim.paper in LAZY and of_regret and not said):
        yield "a claim about a regret or a risk names one lazy program, or says why there is none"
    # A claim about the hospitals' figures expects nothing of other data.
    of_figures = (claim.expected is None, claim.real_data_only, claim.needs is not None)
    if (of_figures[0] or claim.kind == "reproduction") and not all(of_figures):
        yield "what is expected does not go with the kind"


def test_every_entry_of_the_ledger_is_in_order() -> None:
    assert [f"{name}: {fault}" for name, claim in CLAIMS.items() for fault in faults(claim)] == []


@each(
    ("change", "fault"),
    [
        ({"check": CLAIMS["000/theorem-1"].check}, "another paper"),
        ({"needs": "panels"}, "the check needs"),
        ({"id": "001/Theorem"}, "the id"),
        ({"id": "000/theorem"}, "another paper"),
        ({"id": "1/theorem"}, "the id"),
        ({"erratum": "E000-1"}, "erratum"),
        ({"quick": {"colour": 1}}, "quick grid"),
        ({"repetitions": 100}, "repetitions"),
        ({"cap": 0}, "repetitions"),
        ({"statement": "lower case."}, "statement"),
        ({"statement": "No full stop"}, "statement"),
        ({"rule": "No full stop"}, "rule"),
        ({"expected": None}, "expected"),
        ({"kind": "reproduction"}, "expected"),
        ({"lazy": "a learner that never learns", "no_lazy": "no learner plays"}, "lazy program"),
    ],
)
def test_an_entry_that_is_out_of_order_is_told(change: dict[str, Any], fault: str) -> None:
    claim = next(each for each in CLAIMS.values() if each.paper == "001" and not is_stochastic(each))
    assert list(faults(claim)) == []
    assert any(fault in said for said in faults(replace(claim, **change)))


def test_a_claim_about_a_regret_without_its_lazy_program_is_told() -> None:
    named = [claim for claim in CLAIMS.values() if claim.lazy]
    assert {*LAZY} <= {claim.paper for claim in named}
    for words in ("The regret is small.", "Risks are small."):
        claim = replace(CLAIMS["004/theorem-3-6"], statement=words)
        assert list(faults(claim)) == []
        assert any("lazy program" in said for said in faults(replace(claim, lazy="")))
        assert list(faults(replace(claim, lazy="", no_lazy="no learner plays"))) == []


def some_panel(hospitals: int) -> Panel:
    density = rng_for(0, "a panel for lazy programs").random((20, hospitals))
    names = tuple(f"{each:03}" for each in range(hospitals))
    return Panel(tuple(map(str, range(20))), names, density, np.full(20, 5.0), np.full(density.shape, 5.0))


# Others are asked where all checks run, in tests/evidence.
@each("name", [name for name, claim in CLAIMS.items() if claim.lazy and claim.needs == "panels"])
def test_a_claims_lazy_program_is_computed_with_it(name: str) -> None:
    claim = CLAIMS[name]
    panels = {"NM": some_panel(100 if "real" in name else 3)}  # such a claim is about many hospitals
    points = points_of(check_of(claim.check), short_grid(claim), 10, 1, panels=panels)
    assert_lazy(points)


def test_every_check_belongs_to_a_claim() -> None:
    claimed, lost = {claim.check for claim in CLAIMS.values()}, []
    sources = {
        f"{path.parent.name}.{path.stem}": path.read_text(encoding="utf-8")
        for path in sorted(FOLDER.glob("p0*/*.py"))
        if path.stem != "__init__" and not path.stem.startswith("figures_")
    }
    loaded = {module: importlib.import_module(f"{papers.__name__}.{module}") for module in sources}
    # A claim about drawn noise finds its parts by the names of their mechanisms.
    parts = [part for module in loaded.values() for part in vars(module).get("MECHANISMS", {}).values()]
    for module, imported in loaded.items():
        here = [
            each for each in vars(imported).values() if getattr(each, "__module__", "") == imported.__name__
        ]
        functions = [each for each in here if inspect.isfunction(each)]
        own_parts = [each for each in functions if each in parts]
        checks = [each.__name__ for each in functions if is_check(each) and each not in own_parts]
        public = {f"{module}:{name}" for name in checks if not name.startswith("_")}
        lost += sorted(public - claimed)
        used = any(f"papers.{module} import" in source for source in sources.values())
        if not (public or own_parts or used):
            lost.append(f"{module} has no check, and no check uses it")
    assert lost == []


def test_no_two_claims_ask_the_same_check_the_same_question() -> None:
    asked = [(claim.check, json.dumps(claim.grid, sort_keys=True)) for claim in CLAIMS.values()]
    assert len(asked) == len(set(asked))


WRONG = [name for name in CLAIMS if name.count("/") == 2]


@each("name", WRONG)
def test_what_is_wrong_as_it_stands_fails_and_has_mended_siblings_that_hold(name: str) -> None:
    erratum = CLAIMS[name].erratum
    assert erratum
    assert CLAIMS[name].expected == "fails"
    siblings = {
        other.expected for other in CLAIMS.values() if other.erratum == erratum and other.id not in WRONG
    }
    # A misprint in a line of an algorithm has no claim of its own: the theorem plays the mended line.
    assert (siblings or {CLAIMS[other].expected for other in CLAIMS[name].rests_on}) == {"holds"}


def test_only_what_the_paper_says_is_called_as_printed_and_its_formula_is_not_a_companions() -> None:
    said_by = {name: LEDGER.errata[CLAIMS[name].erratum or ""].said_by for name in WRONG}
    assert {name for name in WRONG if name.endswith("/as-printed")} == {
        name for name in WRONG if said_by[name] == "paper"
    }
    for name in WRONG:
        assert ("TEMPLATE" in CLAIMS[name].standing) == (said_by[name] == "companion paper"), name


def test_every_erratum_has_a_claim_and_a_place_in_the_documents() -> None:
    assert {*LEDGER.errata} == {claim.erratum for claim in CLAIMS.values() if claim.erratum}
    documents = Path(__file__).parents[3] / "docs/mathematics"
    for name in LEDGER.errata:
        anchor = f'<a id="{name.lower()}"></a>'
        assert anchor in (documents / f"{name[1:4]}.md").read_text(encoding="utf-8"), name


# The abstract's words against the paper's own table: nothing to be mended there.
ALONE = "000/table-2-printed-words"


def test_a_claim_that_is_expected_to_fail_is_an_erratum_or_has_nothing_to_be_mended() -> None:
    assert {name for name in CLAIMS if CLAIMS[name].expected == "fails"} == {*WRONG, ALONE}


# ---------------------------------------------------------------- the formulas


def latex_faults(latex: str) -> Iterator[str]:
    """Tell what LaTeX would choke on, or would not set as it is meant."""
    if latex != latex.strip() or not latex.isascii() or re.search(r"[\x00-\x1f]", latex):
        yield "space around it, or signs beyond ASCII, such as a tab that YAML made of \\text"
    depths = list(accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in re.sub(r"\\[{}\\]", "", latex)))
    if min(depths, default=0) < 0 or depths[-1:] not in ([], [0]):
        yield "braces do not balance"
    left, right = (len(re.findall(rf"\\{side}(?!arrow)", latex)) for side in ("left", "right"))
    if left != right:
        yield "delimiters do not balance"
    if re.search(r"(?<!\\)[%#&$]", latex):
        yield "a special sign stands bare"
    if re.search(r"(?<!\\)\\\\", latex):
        yield "a line ends within it"
    plain = re.sub(r"\\text\{[^}]*\}", "", latex)
    for word in ("log", "max", "min", "sup", "exp", "sqrt", "sum", "lambda", "eta", "mu"):
        if re.search(rf"(?<![\\a-zA-Z]){word}(?![a-zA-Z])", plain):
            yield f"{word} lacks its backslash"


def test_the_latex_of_every_claim_can_be_set() -> None:
    assert [f"{name}: {fault}" for name, claim in CLAIMS.items() for fault in latex_faults(claim.latex)] == []


@each(
    ("latex", "fault"),
    [
        (" x", "space"),
        ("\text{a}".replace("\t", "\t"), "space"),
        ("x ≤ 1", "beyond ASCII"),
        ("{x", "balance"),
        ("}x{", "balance"),
        (r"\left( x", "delimiters"),
        ("50 %", "bare"),
        ("a & b", "bare"),
        (r"a \\ b", "line ends"),
        ("2 log n", "log"),
        (r"\frac{mu}{2}", "mu"),
    ],
)
def test_latex_that_cannot_be_set_is_told(latex: str, fault: str) -> None:
    assert any(fault in said for said in latex_faults(latex))
    assert (
        list(latex_faults(r"\Pr[\text{a max of } \{x\}] \le 2 \log n \;\to\; \left( \sqrt{\mu} \right)"))
        == []
    )
