"""What Snakemake does not note about a job: into how many shards its work was split.

Snakemake runs a job again when the set of its input files is another than the one that it noted. Results are the same
bytes for any number of shards (`spreading`), and shards are gone once their job is done. So they are left out of what
is noted and compared, and another number of shards makes no result stale. All else that a shard is made of, the job
itself is made of too.

A shard that was never made has no record of how it was. Snakemake would say so of each in every run, so it is told that
there is nothing to look for.
"""

from pathlib import Path
from typing import Any


def forget(persistence: Any, folder: Path) -> None:
    """Let a class of Snakemake's records leave out the files below a folder.

    A class without the methods that ask for them, as in another version of Snakemake, is left as it is.
    """
    listed, noted = (getattr(persistence, name, None) for name in ("_input", "has_metadata"))
    if listed is None or noted is None:
        return
    below = f"{folder.as_posix()}/"

    def without(self: Any, job: Any) -> list[str]:
        return [path for path in listed(self, job) if not str(path).startswith(below)]

    def known(self: Any, job: Any) -> bool:
        return all(str(path).startswith(below) for path in job.output) or noted(self, job)

    persistence._input, persistence.has_metadata = without, known
