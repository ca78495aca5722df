"""A load test on this machine alone, bounded in reports and in time: what secure noise costs beside simulated noise.

Each client is a process that stands for some of the hospitals. Every report is made, sent, checked, and on the
coordinator's disk before it is answered. A client does not keep its own reports on the disk, as a hospital would. The
kinds of noise take turns by week, so that whatever else the machine does falls on both.
"""

import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from examples.hospitals.choosing import choose
from examples.hospitals.hospital import TOKEN, drawn
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import LOOPBACK, Line
from examples.hospitals.setting import Setting
from examples.hospitals.world import HOSPITALS, invented_beds, make_world
from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy import Noise, SecureNoise, SimulatedNoise
from private_experts.randomness import rng_for

HOUSES = 100
"""Hospitals in the test, so a hundred reports close a week."""

LONGEST = 120.0
"""Seconds after which the test stops, whatever was reached."""

MOST = 100_000
"""The most reports that may be asked for."""

CHOICES = (25, 280)
"""Hospitals between which a choice is timed, after 148 weeks, the length of the hospital study."""


class OnGrid:
    """Simulated noise, rounded to the grid of secure noise, as a coordinator takes no other."""

    def __init__(self, key: int) -> None:
        self._noise = SimulatedNoise(rng_for(0, "load", key))

    def perturb(self, values: Array, scale: float | Array, repetitions: int) -> Array:
        """Add noise. See `Noise`."""
        rounded: Array = np.round(self._noise.perturb(values, scale, repetitions) * 2**30) / 2**30
        return rounded


@dataclass(frozen=True)
class Week:
    """What a client did in a week, in seconds."""

    began: float  # by the monotonic clock
    ended: float
    reports: int
    noise: float  # of the processor
    work: float  # the same for everything that a hospital does
    waiting: float  # from sending the reports to their answers


def measure(reports: int, clients: int) -> str:
    """Return in words what was measured while so many reports of each kind were sent by so many processes."""
    if not HOUSES <= reports <= MOST:
        raise InputError(f"--reports {reports}: write {HOUSES} to {MOST}")
    if not 1 <= clients <= 16:
        raise InputError(f"--clients {clients}: write 1 to 16")
    weeks, load = 2 * math.ceil(reports / HOUSES), os.getloadavg()[0]
    sent = _run(weeks, clients)
    if any(len(each) < weeks for each in sent):
        raise InputError(f"the load test has not ended within {LONGEST:g} s: write fewer --reports")
    secure, simulated = (_medians([each[kind::2] for each in sent]) for kind in (0, 1))
    told = [
        f"{HOUSES} hospitals, {weeks} weeks, {clients} clients and one coordinator on {os.cpu_count()} cores, "
        f"with a load of {load:.1f} before; medians of weeks:",
        f"{'noise':36}{'secure':>10}{'simulated':>10}{'ratio':>10}",
    ]
    for name, one, other in zip(NAMES, secure, simulated, strict=True):
        told.append(f"{name:36}{one:10.3g}{other:10.3g}{one / other:10.2f}")
    told += [f"{f'ms of processor, choice of {count}':36}{1000 * _choosing(count):10.3g}" for count in CHOICES]
    return "\n".join(told)


NAMES = (
    "reports a second",
    "ms of processor, hospital's report",
    "ms of processor, noise in it",
    "ms until a report is answered",
)


def _medians(clients: Sequence[Sequence[Week]]) -> list[float]:
    """Return the medians over weeks of what `NAMES` says."""
    rows = []
    for week in zip(*clients, strict=True):
        count = sum(each.reports for each in week)
        seconds = max(each.ended for each in week) - min(each.began for each in week)
        totals = (sum(getattr(each, part) for each in week) for part in ("work", "noise", "waiting"))
        rows.append([count / seconds, *(1000 * total / count for total in totals)])
    return [float(median) for median in np.median(rows, axis=0)]


def _choosing(hospitals: int) -> float:
    """Return how many seconds of the processor a choice takes after 148 weeks."""
    setting = Setting(invented_beds(hospitals, 0), 1.0, 148, 0, shortest=1.0, longest=1.0)
    values = rng_for(0, "load", "choice").normal(0.5, setting.scales, (148, hospitals)).tolist()
    weeks = [dict(zip(setting.hospitals, row, strict=True)) for row in values]
    choose(setting, weeks)  # what is computed once is computed
    began = time.process_time()
    choose(setting, weeks)
    return time.process_time() - began


def _run(weeks: int, clients: int) -> list[list[Week]]:
    """Send all reports, and return what each client did in each week."""
    with tempfile.TemporaryDirectory(prefix="hospitals-load-") as name:
        folder, port = Path(name) / "world", free_port()
        setting = Setting(invented_beds(HOUSES, 0), 1.0, weeks, 0, shortest=1e-3, longest=2 * LONGEST)
        make_world(folder, setting, {hospital: {} for hospital in setting.hospitals})
        houses = [
            (house, (folder / HOSPITALS / house / TOKEN).read_text(encoding="utf-8")) for house in setting.hospitals
        ]
        context = multiprocessing.get_context("spawn")
        with Deployment(folder, port, hospitals=False), context.Pool(clients) as pool:
            address = f"http://{LOOPBACK}:{port}"
            with Line(address, "") as line:  # until it listens
                line.week()
            pool.map(_warm, range(clients), chunksize=1)
            until = time.monotonic() + LONGEST
            jobs = [(address, houses[client::clients], setting, client, until) for client in range(clients)]
            return pool.starmap(_client, jobs, chunksize=1)


def _warm(_: int) -> None:
    """Import what a client needs, before time is taken."""
    SecureNoise()
    time.sleep(0.2)  # so that no client warms up twice


def _client(address: str, houses: Sequence[tuple[str, str]], setting: Setting, number: int, until: float) -> list[Week]:
    """Report for some hospitals, week after week, until `until` on the monotonic clock."""
    lines = [(hospital, Line(address, token)) for hospital, token in houses]
    kinds: list[Noise] = [SecureNoise(), OnGrid(number)]
    for hospital, _ in lines:
        drawn(0.5, setting, hospital, kinds[0])
    done = []
    for week in range(1, setting.weeks + 1):
        while lines[0][1].week()["week"] < week and time.monotonic() < until:  # the other clients report too
            time.sleep(0.002)
        if time.monotonic() > until:
            break
        began, work, noise_work, waiting = time.monotonic(), time.process_time(), 0.0, 0.0
        for hospital, line in lines:
            start = time.process_time()
            report = drawn(0.5, setting, hospital, kinds[(week - 1) % 2])
            noise_work += time.process_time() - start
            sent = time.perf_counter()
            status, answer = line.report(week, *report)
            waiting += time.perf_counter() - sent
            if status != 200:
                raise InputError(f"the load test was refused: {answer}")
        ended, spent = time.monotonic(), time.process_time() - work
        done.append(Week(began, ended, len(lines), noise_work, spent, waiting))
    return done
