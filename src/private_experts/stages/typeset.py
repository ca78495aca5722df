"""What the replication report inputs beside the tables: the ledger in LaTeX."""

import json
from pathlib import Path

from private_experts.files import write_text


def claims_tex(ledger: Path, output: Path, errata: Path, pictures: Path, facts: Path) -> None:
    """Write the ledger's claims, errata, figures and facts in LaTeX."""
    from private_experts.report import claims_tex as report

    known = json.loads(ledger.read_text(encoding="utf-8"))
    write_text(output, report.claims(known))
    write_text(errata, report.errata(known))
    write_text(pictures, report.figures(known))
    write_text(facts, report.facts(known))
