"""An invented world to show the deployment on: hospitals, patients, tokens, each in the folder of its house."""

import json
from contextlib import closing
from pathlib import Path

import numpy as np

from examples.hospitals.certificates import AUTHORITY, make_authority, make_certificate
from examples.hospitals.coordinator import Coordinator
from examples.hospitals.hospital import LIMIT, PATIENTS, TOKEN
from examples.hospitals.private_files import write_private
from examples.hospitals.sending import LOOPBACK
from examples.hospitals.setting import FILE, Setting
from examples.hospitals.store import DATABASE, Store
from examples.hospitals.tokens import HASHES, hashed, new_token
from private_experts.randomness import rng_for

COORDINATOR = "coordinator"
HOSPITALS = "hospitals"

_SILENT = 0.01  # share of the weeks that a hospital does not report, as in real data


def invented_beds(hospitals: int, seed: int) -> dict[str, int]:
    """Return beds for hospitals that are named H01, H02 and so on."""
    beds = rng_for(seed, "beds").integers(60, 400, hospitals)
    return {f"H{number:02d}": int(count) for number, count in enumerate(beds, start=1)}


def invented_patients(setting: Setting) -> dict[str, dict[int, int]]:
    """Return invented patients by hospital and week: waves that reach the hospitals one after the other, with gaps."""
    weeks = np.arange(1, setting.weeks + 1)
    patients = {}
    for name, beds in setting.beds.items():
        rng = rng_for(setting.seed, "patients", name)
        wave = np.sin(2 * np.pi * (weeks / 26 + rng.random())) + 0.5 * np.sin(2 * np.pi * (weeks / 11 + rng.random()))
        expected = np.clip(0.15 * (1 + 0.6 * wave) * rng.lognormal(0, 0.2), 0.0, 0.9)
        counts, present = rng.binomial(beds, expected), rng.random(weeks.size) >= _SILENT
        patients[name] = {int(week): int(counts[week - 1]) for week in weeks[present]}
    return patients


def make_world(folder: Path, setting: Setting, patients: dict[str, dict[int, int]]) -> None:
    """Write the houses of a deployment in a new folder, each for its owner's eyes alone; no token is kept twice."""
    hashes = {}
    for name in setting.hospitals:
        token = new_token()
        hashes[name] = [hashed(token)]
        house = folder / HOSPITALS / name
        rows = "".join(f"{week},{count}\n" for week, count in patients[name].items())
        limit = f"{setting.mu!r}\n"
        _write(house, {FILE: setting.text(), TOKEN: token, PATIENTS: "week,patients\n" + rows, LIMIT: limit})
    # The coordinator's setting comes last: where it is, the world is whole.
    _write(folder / COORDINATOR, {HASHES: json.dumps(hashes, indent=1)})
    with closing(Store(folder / COORDINATOR / DATABASE, setting.text(), new=True)) as store:
        Coordinator(setting, store)
    _write(folder / COORDINATOR, {FILE: setting.text()})


def encrypt(folder: Path) -> None:
    """Give a deployment on this machine an authority, the coordinator a certificate, and hospitals the authority's."""
    make_authority(folder / "authority")
    make_certificate(folder / "authority", folder / COORDINATOR, [LOOPBACK])
    for house in (folder / HOSPITALS).iterdir():
        _write(house, {AUTHORITY: (folder / "authority" / AUTHORITY).read_text(encoding="utf-8")})


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in files.items():
        write_private(folder / name, text, durable=False)
