"""What the page reads besides the ledger: code of checks, files of a figure, and how long each job took."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from private_experts.replication import papers
from private_experts.replication.ledger.timing import Account, read
from private_experts.replication.records import read_text


def beside(name: str, paper: Path) -> list[tuple[str, str]]:
    """Return the kinds and paths of the files of a figure, and of the table of its name."""
    paths = [paper / "figures" / f"{name}.{suffix}" for suffix in ("pdf", "png", "svg")]
    paths.append(paper / "tables" / f"{name}.csv")
    return [(path.suffix[1:].upper(), path.as_posix()) for path in paths if path.exists()]


def jobs(logs: Path) -> list[dict[str, Any]]:
    """Return what each job took, by the accounts in the logs."""
    found = []
    for name, account in read(logs):
        if not account.of:
            rule, _, rest = name.partition("/")
            found.append({"rule": rule, "name": rest or rule, **account._asdict()})
    return found


def costs(logs: Path) -> dict[str, Account]:
    """Return what each claim took, by its id."""
    return {account.of: account for _, account in read(logs) if account.of}


def modules(checks: Iterable[str]) -> dict[str, str]:
    """Return the source of each module of checks, by its name below replication/papers."""
    room = Path(papers.__file__).parent
    names = dict.fromkeys(check.partition(":")[0] for check in checks)
    return {name: read_text(room.joinpath(*name.split(".")).with_suffix(".py")) for name in names}
