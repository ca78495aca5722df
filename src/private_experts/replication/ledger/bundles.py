"""Which claims one job checks together, and which of their figures one job draws.

Starting a job costs about a second, and most claims need less. So the claims of one module of checks share a
job if they rest on the same data. A long claim has a job to itself, unless it shares the games of others on
the panels.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from private_experts.replication.ledger.experiments import Drawing, drawing
from private_experts.replication.ledger.ledger import Claim, Ledger

LONG = 6.0  # seconds of work, on a quiet machine, that are worth a job of their own


@dataclass(frozen=True)
class Bundle:
    """Claims that one job checks, in the order of the ledger; all rest on the same data."""

    name: str  # the id of the one claim, or the module of checks, such as p000/switches, or the paper
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
    """Share claims out among jobs; on quick grids no claim is long, and a paper's claims share one."""
    shared: dict[str, list[Claim]] = {}
    for claim in claims:
        # By module and not by paper: a change of one module's code makes only its own claims stale.
        paper, _, module = claim.check.partition(":")[0].partition(".")
        home = paper if quick else f"{paper}/{module}"
        # Claims on the panels stay together however long they are: they share games that take longer than
        # their checks.
        alone = claim.seconds >= LONG and not quick and claim.needs != "panels"
        shared.setdefault(
            claim.id if alone else f"{home}{f'/{claim.needs}' if claim.needs else ''}", []
        ).append(claim)
    return [Bundle(name, tuple(members)) for name, members in shared.items()]


def sheets(ledger: Ledger, quick: bool = False) -> dict[str, dict[str, Drawing]]:
    """Return the drawings of each job (a paper's, or all on quick grids), by the names of the figures."""
    claims = {name: vars(claim) for name, claim in ledger.claims.items()}
    found: dict[str, dict[str, Drawing]] = {}
    for stem, figure in ledger.figures.items():
        if figure.draw:
            found.setdefault("all" if quick else figure.paper, {})[stem] = drawing(vars(figure), claims)
    return found
