"""Which claims one job checks together, and which of their figures one job draws.

Starting a job costs about a second, and most claims need less. So the claims of one module of checks share a job if
they rest on the same data. A long claim has a job to itself: so the cores share the work, and a claim that needs
minutes is not checked again because its neighbour changed. Claims on panels stay together however long they are,
because they share their games (`repeated.Shared`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from private_experts.replication.ledger.experiments import Drawing, drawing
from private_experts.replication.ledger.ledger import Claim, Ledger

LONG = 6.0  # seconds of work, on a quiet machine, that are worth a job of their own


@dataclass(frozen=True)
class Bundle:
    """Claims that one job checks, in the order of the ledger.

    - `name`: The id of the one claim, or the module of checks, such as ``p000/switches``; on quick grids the
      paper.
    - `claims`: At least one. All rest on the same data.
    """

    name: str
    claims: tuple[Claim, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its claims."""
        return tuple(claim.id for claim in self.claims)

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return f"checks_{self.name.replace('/', '_').replace('-', '_')}"

    @property
    def needs(self) -> str | None:
        """What its claims rest on, besides their grids."""
        return self.claims[0].needs


def bundles(claims: Iterable[Claim], quick: bool = False) -> list[Bundle]:
    """Share claims out among jobs.

    On quick grids no claim is long, and a module's claims need less time than a start. Then a paper's claims share one.

    Examples
    --------
    >>> bundles([])
    []
    """
    shared: dict[str, list[Claim]] = {}
    for claim in claims:
        paper, _, module = claim.check.partition(":")[0].partition(".")
        home = paper if quick else f"{paper}/{module}"
        alone = claim.seconds >= LONG and not quick and claim.needs != "panels"
        shared.setdefault(claim.id if alone else f"{home}{f'/{claim.needs}' if claim.needs else ''}", []).append(claim)
    return [Bundle(name, tuple(each)) for name, each in shared.items()]


def sheets(ledger: Ledger, quick: bool = False) -> dict[str, dict[str, Drawing]]:
    """Return the drawings of each paper's figures of claims, which share a job, by the names of the figures.

    On quick grids one job draws them all.
    """
    claims = {name: vars(claim) for name, claim in ledger.claims.items()}
    found: dict[str, dict[str, Drawing]] = {}
    for stem, figure in ledger.figures.items():
        if figure.draw:
            found.setdefault("all" if quick else figure.paper, {})[stem] = drawing(vars(figure), claims)
    return found
