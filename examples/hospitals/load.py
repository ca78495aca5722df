"""A load test on this machine alone, bounded in reports and in time: reports per second, and what secure noise costs.

Each client is a process that stands for some of the hospitals. Every report is made, sent, checked, and on the
coordinator's disk before it is answered. A client does not keep its own reports on the disk, as a hospital would.
"""

import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.hospitals.hospital import TOKEN, drawn
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import LOOPBACK, Line
from examples.hospitals.setting import Setting
from examples.hospitals.world import HOSPITALS, invented_beds, make_world
from private_experts.errors import InputError
from private_experts.privacy import SecureNoise

HOUSES = 100
"""Hospitals in the test, so a hundred reports close a week."""

LONGEST = 60.0
"""Seconds after which each part of the test stops, whatever was reached."""

MOST = 100_000
"""The most reports that may be asked for."""

PARTS = ("noise", "work", "waiting")


@dataclass(frozen=True)
class Spent:
    """What a client did."""

    reports: int  # that were counted
    noise: float  # seconds of the processor
    work: float  # the same for everything that a hospital does
    waiting: float  # seconds from sending the reports to their answers


def measure(reports: int, clients: int) -> str:
    """Return in words what was measured while so many reports, in whole weeks, were sent by so many processes."""
    if not HOUSES <= reports <= MOST:
        raise InputError(f"--reports {reports}: write {HOUSES} to {MOST}")
    if not 1 <= clients <= 16:
        raise InputError(f"--clients {clients}: write 1 to 16")
    weeks = math.ceil(reports / HOUSES)
    told = [
        f"{HOUSES} hospitals, {weeks} weeks, {clients} clients and one coordinator on {os.cpu_count()} cores, "
        f"with a load of {os.getloadavg()[0]:.1f} before:"
    ]
    for words, secure in (("with secure noise", True), ("with the noise drawn beforehand", False)):
        seconds, spent = _run(weeks, clients, secure)
        count = sum(each.reports for each in spent)
        told.append(f"{words}: {count} reports in {seconds:.1f} s, {count / seconds:.0f} a second")
        if secure:
            noise, work, waiting = (1000 * sum(getattr(each, part) for each in spent) / count for part in PARTS)
            told.append(
                f"a report costs a hospital {work:.2f} ms of processor time, of which its noise takes {noise:.2f} ms "
                f"({noise / work:.0%}); it is answered after {waiting:.0f} ms"
            )
    return "\n".join(told)


def _run(weeks: int, clients: int, secure: bool) -> tuple[float, list[Spent]]:
    """Send all reports and return the seconds that it took, and what each client did."""
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
            began = time.monotonic()
            jobs = [(address, houses[client::clients], setting, secure, began + LONGEST) for client in range(clients)]
            spent = pool.starmap(_client, jobs, chunksize=1)
            return time.monotonic() - began, spent


def _warm(_: int) -> None:
    """Import what a client needs, before time is taken."""
    SecureNoise()
    time.sleep(0.2)  # so that no client warms up twice


def _client(address: str, houses: Sequence[tuple[str, str]], setting: Setting, secure: bool, until: float) -> Spent:
    """Report for some hospitals, week after week, until `until` on the monotonic clock."""
    lines, noise = [(hospital, Line(address, token)) for hospital, token in houses], SecureNoise()
    made = {hospital: drawn(0.5, setting, hospital, noise) for hospital, _ in houses}
    count, noise_work, waiting, began = 0, 0.0, 0.0, time.process_time()
    for week in range(1, setting.weeks + 1):
        while lines[0][1].week()["week"] < week and time.monotonic() < until:  # the other clients report too
            time.sleep(0.002)
        for hospital, line in lines:
            if time.monotonic() > until:
                break
            start = time.process_time()
            if secure:
                made[hospital] = drawn(0.5, setting, hospital, noise)
            noise_work += time.process_time() - start
            sent = time.perf_counter()
            status, answer = line.report(week, *made[hospital])
            waiting += time.perf_counter() - sent
            if status != 200:
                raise InputError(f"the load test was refused: {answer}")
            count += 1
    return Spent(count, noise_work, time.process_time() - began, waiting)
