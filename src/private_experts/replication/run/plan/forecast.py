"""How long a run will take, from what its jobs took the last time."""

import heapq
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from private_experts.replication.run.plan.jobs import Job, Study


def seconds(study: Study) -> list[float | None]:
    """Return what each job of a study takes: what it took last, or what others of its rule take on average.

    Returns
    -------
    list of float or None
        None where no job of the rule has told.
    """
    found = [study.took.get(_name(job, study.logs)) for job in study.jobs]
    by_rule: dict[str, list[float]] = {}
    for job, each in zip(study.jobs, found, strict=True):
        if each is not None:
            by_rule.setdefault(job.rule, []).append(each)
    return [
        mean(by_rule[job.rule]) if each is None and job.rule in by_rule else each
        for job, each in zip(study.jobs, found, strict=True)
    ]


def _name(job: Job, logs: Path) -> str:
    path = Path(job.log).with_suffix("")
    return path.relative_to(logs).as_posix() if path.is_relative_to(logs) else ""


def together(waits: Mapping[int, Sequence[int]], took: Mapping[int, float], cores: int) -> float:
    """Return how long jobs take on some cores, when each that can start does.

    Parameters
    ----------
    waits : mapping
        For each job, the jobs that it waits for. Jobs that are no key are done already.
    took : mapping
        The seconds of each job.
    cores : int
        At least 1; a job takes one.

    Examples
    --------
    >>> together({0: [], 1: [], 2: [0, 1]}, {0: 2.0, 1: 3.0, 2: 1.0}, cores=2)
    4.0
    """
    left = {job: {each for each in needed if each in waits} for job, needed in waits.items()}
    ready = sorted((job for job, needed in left.items() if not needed), reverse=True)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            job = ready.pop()
            heapq.heappush(running, (now + took[job], job))
        now, done = heapq.heappop(running)
        for job, needed in left.items():
            if done in needed:
                needed.remove(done)
                if not needed:
                    ready.insert(0, job)
    return now
