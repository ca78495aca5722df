"""The command ``private-experts``, also ``python -m private_experts``: that of the replication, in a clone.

A wheel has the library alone, and the command then says so.
"""

import sys

import private_experts
from private_experts.errors import PROGRAM


def main() -> int:
    """Run the replication's command line, and return its exit code; 2 where the replication is not there."""
    try:
        from private_experts.replication.workflow.cli import main as replication
    except ModuleNotFoundError as error:
        # Another package that is missing is another thing, and the command line there names it.
        if error.name != "private_experts.replication":
            raise
        if sys.argv[1:] == ["--version"]:
            print(PROGRAM, private_experts.__version__)
            return 0
        print(
            f"{PROGRAM}: this is the library alone, and the replication runs in a clone of the project: "
            "run make reproduce there",
            file=sys.stderr,
        )
        return 2
    return replication()


if __name__ == "__main__":
    sys.exit(main())
