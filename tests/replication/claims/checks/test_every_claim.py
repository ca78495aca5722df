"""The ledger and the checks know each other: no claim without a check, no check without a claim."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from private_experts.replication.claims import checks, ledger
from private_experts.replication.claims.evidence import Point, decide

CLAIMS_FOLDER = Path(__file__).parents[4] / "claims"
CLAIMS = ledger.load(sorted(CLAIMS_FOLDER.glob("[0-9]*.yaml")), CLAIMS_FOLDER / "schema.yaml")
FOLDER = Path(checks.__file__).parent
MODULES = [
    ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    for path in sorted(FOLDER.glob("paper_*/*.py"))
    if path.stem != "__init__"
]


def check_of(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(f"private_experts.replication.claims.checks.{module}"), function)


def is_check(function: Any) -> bool:
    return [*inspect.signature(function).parameters][:3] == ["grid", "repetitions", "seed"]


@pytest.mark.parametrize("name", CLAIMS)
def test_the_check_exists_and_takes_what_the_claim_needs(name: str) -> None:
    claim = CLAIMS[name]
    given = {None: [], "panels": ["panels"], "table-2": ["table"]}[claim.needs]
    parameters = inspect.signature(check_of(claim.check)).parameters.values()
    needed = [each.name for each in parameters if each.default is inspect.Parameter.empty]
    assert needed == ["grid", "repetitions", "seed", *given]
    assert claim.check.startswith(f"paper_{claim.paper}.")


@pytest.mark.parametrize("module", MODULES)
def test_every_check_belongs_to_a_claim_in(module: str) -> None:
    imported = importlib.import_module(f"private_experts.replication.claims.checks.{module}")
    here = [
        value for _, value in inspect.getmembers(imported, inspect.isfunction) if value.__module__ == imported.__name__
    ]
    public = {f"{module}:{each.__name__}" for each in here if is_check(each) and not each.__name__.startswith("_")}
    assert public
    assert public <= {claim.check for claim in CLAIMS.values()}


def test_no_two_claims_ask_the_same_check_the_same_question() -> None:
    asked = [(claim.check, ledger.canonical(claim.grid)) for claim in CLAIMS.values()]
    assert len(asked) == len(set(asked))


AS_PRINTED = [name for name in CLAIMS if name.endswith("/as-printed")]


@pytest.mark.parametrize("name", AS_PRINTED)
def test_what_is_wrong_as_printed_fails_and_has_a_mended_sibling_that_holds(name: str) -> None:
    mended = CLAIMS[name.removesuffix("/as-printed")]
    assert CLAIMS[name].expected == "fails"
    assert mended.expected == "holds"
    assert CLAIMS[name].erratum == mended.erratum
    assert mended.erratum


# Claims that fail and have no mended sibling, and why.
ALONE = {
    "000/table-2-printed-ratio": "the abstract's words against the paper's own table: nothing to be mended here",
}


def test_a_claim_that_is_expected_to_fail_is_an_erratum_or_says_why_not() -> None:
    assert {name for name in CLAIMS if CLAIMS[name].expected == "fails"} == {*AS_PRINTED, *ALONE}


@pytest.mark.parametrize("name", CLAIMS)
def test_an_id_names_the_paper_and_the_claim(name: str) -> None:
    assert re.fullmatch(r"\d{3}/[a-z0-9]+(-[a-z0-9]+)*(/as-printed)?", name)


@pytest.mark.parametrize("name", [name for name in CLAIMS if CLAIMS[name].erratum])
def test_an_erratum_is_named_after_the_paper(name: str) -> None:
    assert re.fullmatch(rf"E{CLAIMS[name].paper}-\d+", str(CLAIMS[name].erratum))


@pytest.mark.parametrize("name", CLAIMS)
def test_the_latex_has_balanced_braces_and_delimiters_and_no_bare_special_sign(name: str) -> None:
    latex = CLAIMS[name].latex
    assert latex == latex.strip()
    depth = 0
    for sign in re.sub(r"\\[{}\\]", "", latex):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    assert latex.count("\\left") - latex.count("\\leftarrow") == latex.count("\\right") - latex.count("\\rightarrow")
    assert not re.search(r"(?<!\\)[%#&$]", latex)
    assert latex.isascii()
    assert not re.search(r"[\t\n\x00-\x1f]", latex)  # such as a \t that YAML made of \text
    assert not re.search(r"(?<!\\)\\\\", latex)
    for word in ("log", "max", "min", "sup", "exp", "sqrt", "sum", "lambda", "eta", "mu"):
        assert not re.search(rf"(?<![\\a-zA-Z]){word}(?![a-zA-Z])", re.sub(r"\\text\{[^}]*\}", "", latex)), word


@pytest.mark.parametrize("name", CLAIMS)
def test_a_quick_grid_changes_only_what_the_grid_has(name: str) -> None:
    assert {*CLAIMS[name].quick} <= {*CLAIMS[name].grid}


def is_stochastic(claim: ledger.Claim) -> bool:
    return claim.kind == "stochastic"


@pytest.mark.parametrize("name", CLAIMS)
def test_repetitions_are_stated_where_there_are_any_and_nowhere_else(name: str) -> None:
    claim = CLAIMS[name]
    assert claim.cap >= claim.repetitions
    assert (claim.repetitions >= 100) == is_stochastic(claim)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_statement_is_a_sentence_and_a_rule_says_what_decides(name: str) -> None:
    claim = CLAIMS[name]
    assert re.fullmatch(r"([A-Z]|delta\(eps\)).*\.", " ".join(claim.statement.split()))
    assert claim.rule.strip().endswith(".")
    assert "|" not in claim.id


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_about_figures_of_the_paper_expects_nothing_of_other_data(name: str) -> None:
    claim = CLAIMS[name]
    if claim.kind == "reproduction":
        assert claim.expected is None
        assert claim.real_data_only
        assert claim.needs == "table-2"
    else:
        assert claim.expected is not None


SURE = [name for name, claim in CLAIMS.items() if not is_stochastic(claim) and claim.needs is None]


@pytest.mark.parametrize("name", SURE)
def test_without_chance_even_the_quick_grid_gives_the_expected_verdict(name: str) -> None:
    claim = CLAIMS[name]
    points = check_of(claim.check)(claim.effective_grid(quick=True), claim.repetitions, 1)
    assert points
    assert all(isinstance(point, Point) for point in points)
    assert decide(points) == claim.expected
    places = [str(dict(point.where)) + point.sense for point in points]
    assert len(places) == len(set(places))  # each point of the grid stands once


def test_what_is_without_chance_does_not_depend_on_repetitions() -> None:
    for name in SURE:
        claim = CLAIMS[name]
        if claim.seconds <= 1 and claim.id != "000/lemma-5":  # whose quadrature takes its time
            check, grid = check_of(claim.check), claim.effective_grid(quick=True)
            few, many = ([(point.value, point.bound) for point in check(grid, count, 1)] for count in (2, 50))
            assert few == many, name


CHANCY = [name for name, claim in CLAIMS.items() if is_stochastic(claim) and claim.needs is None]


@pytest.mark.parametrize("name", CHANCY)
def test_more_repetitions_are_a_new_experiment_and_not_the_old_one_prolonged(name: str) -> None:
    claim = CLAIMS[name]
    check, grid = check_of(claim.check), claim.effective_grid(quick=True)
    first, again, other, more = (
        [(point.value, *point.interval) for point in check(grid, count, seed)]
        for count, seed in ((20, 1), (20, 1), (20, 2), (40, 1))
    )
    assert first == again
    if any(low < high and value not in (0.0, 1.0) for value, low, high in first):  # something happened, by chance
        assert first != other
        assert first != more


@pytest.mark.parametrize("name", CHANCY)
def test_an_interval_surrounds_its_value(name: str) -> None:
    claim = CLAIMS[name]
    for point in check_of(claim.check)(claim.effective_grid(quick=True), 20, 1):
        low, high = point.interval
        assert low <= point.value <= high
