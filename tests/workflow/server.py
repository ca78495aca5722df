"""The server of warm processes as tests use it, which runs Snakemake and pytest too; warm.py starts it as a script.

It takes whatever environment it is asked to run in, since each test has a project of its own. It loads the server's
file without importing the package, so that each fork imports its project's own copy.
"""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).parents[2] / "src/private_experts/replication/run/warm/server.py"
ALSO = ("snakemake.cli", "snakemake.storage", "tqdm")


def anywhere(environment: Mapping[str, str]) -> bool:
    """Let a fork import its project's own copy, and run in any environment."""
    sys.path.insert(0, environment["PYTHONPATH"])
    return True


if __name__ == "__main__":
    spec = importlib.util.spec_from_file_location("warm_server", FILE)
    assert spec
    assert spec.loader
    server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server)
    for name in ALSO:
        importlib.import_module(name)
    importlib.import_module("snakemake.cli").get_argument_parser()  # looks for Snakemake's plugins
    programs = server.PROGRAMS | {"snakemake": "snakemake.cli", "pytest": "pytest"}
    server.serve(sys.argv[1], server.FOREIGN, programs, anywhere)
