"""Which claims one job checks together, and which of their figures one job draws.

Starting a job costs about half a second, and most claims need little more. So a long claim has a job to
itself, and so has a module of checks whose other claims are long together. All others of a paper share one if
they rest on the same data, as do those on the panels, which share games.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from private_experts.replication.ledger.experiments import Drawing, drawing
from private_experts.replication.ledger.ledger import Claim, Ledger

LONG = 6.0  # seconds of work, on a quiet machine, that are worth a job of their own


@dataclass(frozen=True)
class Bundle:
    """Claims that one job checks, in the order of the ledger; all rest on the same data."""

    name: (
        str  # the id of the one claim, or the module of checks, such as p000/switches, or p000 or p000/panels
    )
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
    listed = list(claims)
    # Claims on the panels stay together however long they are: they share games that take longer than
    # their checks.
    alone = {claim.id for claim in listed if claim.seconds >= LONG and not quick and claim.needs != "panels"}
    rest: defaultdict[str, float] = defaultdict(float)
    for claim in listed:
        if claim.id not in alone and not claim.needs:
            rest[_module(claim)] += claim.seconds
    shared: dict[str, list[Claim]] = {}
    for claim in listed:
        module = _module(claim)
        # A module with enough work has a job, so that a change of its code makes no other claims stale.
        apart = rest[module] >= LONG and not quick and not claim.needs
        home = module if apart else claim.check.partition(".")[0]
        name = claim.id if claim.id in alone else f"{home}/{claim.needs}" if claim.needs else home
        shared.setdefault(name, []).append(claim)
    return [Bundle(name, tuple(members)) for name, members in shared.items()]


def _module(claim: Claim) -> str:
    """Return the module of a claim's check, such as p000/switches."""
    return claim.check.partition(":")[0].replace(".", "/")


def sheets(ledger: Ledger, quick: bool = False) -> dict[str, dict[str, Drawing]]:
    """Return the drawings of each job (a paper's, or all on quick grids), by the names of the figures."""
    claims = {name: vars(claim) for name, claim in ledger.claims.items()}
    found: dict[str, dict[str, Drawing]] = {}
    for stem, figure in ledger.figures.items():
        if figure.draw:
            found.setdefault("all" if quick else figure.paper, {})[stem] = drawing(vars(figure), claims)
    return found
