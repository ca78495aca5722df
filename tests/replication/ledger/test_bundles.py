"""Which claims share a job, and which figures."""

from dataclasses import replace

from private_experts.replication.ledger.bundles import LONG, bundles, sheets
from private_experts.replication.ledger.experiments import Drawing, drawing
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

CLAIMS = KNOWN.claims


@each("quick", [True, False])
def test_every_claim_is_in_one_bundle_of_its_own_paper_and_data(quick: bool) -> None:
    found = bundles(CLAIMS.values(), quick)
    assert sorted(name for bundle in found for name in bundle.ids) == sorted(CLAIMS)
    assert len({bundle.name for bundle in found}) == len({bundle.rule for bundle in found}) == len(found)
    for bundle in found:
        assert len({(claim.paper, claim.needs) for claim in bundle.claims}) == 1
        assert bundle.rule.isidentifier()


def test_a_long_claim_is_alone_except_on_quick_grids_and_on_panels() -> None:
    for quick in (True, False):
        shared = [bundle for bundle in bundles(CLAIMS.values(), quick) if len(bundle.claims) > 1]
        shared = [bundle for bundle in shared if quick or bundle.needs != "panels"]
        assert any(claim.seconds >= LONG for bundle in shared for claim in bundle.claims) == quick


def test_a_module_with_enough_work_has_a_job_and_shorter_ones_of_a_paper_share_one() -> None:
    first, half = next(iter(CLAIMS.values())), LONG / 2
    claims = [
        replace(first, id=f"000/{number}", check=f"p000.{module}:check", seconds=half, needs=None)
        for number, module in enumerate(("one", "two", "three", "one"))
    ]
    found = {bundle.name: [*bundle.ids] for bundle in bundles(claims)}
    assert found == {"p000/one": ["000/0", "000/3"], "p000": ["000/1", "000/2"]}
    # What rests on data is no work of the module's job.
    claims[3] = replace(claims[3], needs="table-2")
    found = {bundle.name: [*bundle.ids] for bundle in bundles(claims)}
    assert found == {"p000": ["000/0", "000/1", "000/2"], "p000/table-2": ["000/3"]}


def test_claims_that_rest_on_other_data_are_apart() -> None:
    claim = replace(next(iter(CLAIMS.values())), seconds=1, needs=None)
    on_panels = replace(claim, id="000/other", needs="panels", seconds=2 * LONG)
    more = replace(on_panels, id="000/more")  # together, however long they are
    found = bundles([claim, on_panels, replace(claim, id="000/third"), more])
    assert [bundle.ids for bundle in found] == [(claim.id, "000/third"), ("000/other", "000/more")]
    assert [bundle.needs for bundle in found] == [None, "panels"]


def test_the_figures_of_a_paper_share_a_job() -> None:
    drawn = [stem for stem, figure in KNOWN.figures.items() if figure.draw]
    found = sheets(KNOWN)
    assert [name for names in found.values() for name in names] == drawn
    assert all(KNOWN.figures[name].paper == paper for paper, names in found.items() for name in names)


def test_a_figure_is_sampled_or_on_data_if_one_of_its_claims_is() -> None:
    claims = {"000/a": {"kind": "stochastic"}, "000/b": {"kind": "exact", "needs": "games"}}
    for shown, sampled, on_data in ((["000/a", "000/b"], True, True), (["000/a"], True, False)):
        figure = {"draw": "p000.a:b", "claims": shown}
        assert drawing(figure, claims) == Drawing("p000.a:b", shown, sampled, on_data)
