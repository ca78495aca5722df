"""What the replication report inputs beside the tables: the ledger in LaTeX."""

from pathlib import Path

from private_experts.files import write_text
from private_experts.records import read_json


def claims_tex(ledger: Path, output: Path, errata: Path, pictures: Path, facts: Path) -> None:
    """Write the ledger's claims, errata, figures and facts in LaTeX."""
    from private_experts.report import claims_tex as report

    known = read_json(ledger, ("claims", "figures", "papers", "data", "synthetic"))
    write_text(output, report.claims(known))
    write_text(errata, report.errata(known))
    write_text(pictures, report.figures(known))
    write_text(facts, report.facts(known))
