"""A job of this machine is noted before it begins.

Snakemake notes that the outputs of a job are incomplete, and takes the note away when the job has ended well. But it
starts the job first. If it is killed in between, and the job goes on, then the outputs are there without a note of how
they were made. Snakemake takes them for good from then on, whatever changes in the config. So the note is made before;
when Snakemake makes it again, nothing changes.
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
