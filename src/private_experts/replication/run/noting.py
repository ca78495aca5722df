"""The note of a job lasts from before its beginning until the run has taken its results.

Snakemake notes that the outputs of a job are incomplete, and takes the note away when the job has ended well. Results
that are there without this note, and without the record of how they were made, count as good from then on, whatever
changes in the config. There are two ways to that, when Snakemake is killed and the job goes on. On this machine it
notes a job only after it has started it: here the note is made before, and made again later. On a cluster a Snakemake
of the job's own takes the note away, and leaves the record to the main one: here it leaves the note as well.
"""

from contextlib import suppress
from typing import Any


def note_first(executor: Any) -> None:
    """Let a class of executors note each job before it is started.

    A class without the method that comes before a start, as in another version of Snakemake, is left as it is.
    """
    before = getattr(executor, "run_job_pre", None)
    if before is None:
        return

    def run_job_pre(self: Any, job: Any) -> None:
        with suppress(OSError):  # where nothing can be noted Snakemake says so afterwards
            job.register()
        before(self, job)

    executor.run_job_pre = run_job_pre


def leave_notes(persistence: Any) -> None:
    """Let a class of Snakemake's records, in a job, leave the note to the main process when the job has ended."""

    async def finished(self: Any, job: Any) -> None:
        pass

    if hasattr(persistence, "finished"):
        persistence.finished = finished
