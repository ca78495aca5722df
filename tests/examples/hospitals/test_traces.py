"""The search for true values finds what it says it finds, and nothing in honest bytes."""

import base64
import json
import struct

import numpy as np
import pytest

from examples.hospitals.check import DRAWS, size
from examples.hospitals.setting import Setting
from examples.hospitals.traces import Truth, released_twice, traces, wrong_noise
from private_experts.privacy import SimulatedNoise
from private_experts.randomness import rng_for
from tests.each import each

TRUTH = Truth("H01", 3, 21_374_111, 60_000_001)
GAIN, COUNT = TRUTH.gain, TRUTH.patients
NOISY = 0.4217430129647255  # on the grid of secure noise
HONEST = (
    b"POST /reports HTTP/1.1\r\nHost: 127.0.0.1:45123\r\nAccept-Encoding: identity\r\nContent-Length: 74\r\n"
    b"Authorization: Bearer 3562351_x0-21374\r\n\r\n"
    + json.dumps({"week": 3, "value": NOISY, "scale": 0.03535533905932738}).encode()
)

LEAKS = {
    "as it is": repr(GAIN),
    "with more digits than a float has": f"{GAIN:.40f}",
    "rounded": f"{GAIN:.8f}",
    "on the grid": repr(round(GAIN * 2**30) / 2**30),
    "in percent": f"{100 * GAIN:.9g}",
    "with an exponent": f"{GAIN:.12e}",
    "without a point": f"{GAIN:.12f}"[2:],
    "without a leading zero": f"{GAIN:.12f}"[1:],
    "what is free": repr(1 - GAIN),
    "negative": repr(-GAIN),
    "patients": str(COUNT),
    "patients as a float": str(float(COUNT)),
    "hexadecimal float": GAIN.hex(),
    "bytes": struct.pack("<d", GAIN),
    "bytes the other way round": struct.pack(">d", GAIN),
    "short bytes": struct.pack("<f", GAIN),
    "bytes in hexadecimal digits": struct.pack(">d", GAIN).hex(),
    "bytes in base64": base64.b64encode(struct.pack("<d", GAIN)),
    "patients in bytes": struct.pack(">I", COUNT),
    "the noise": repr(NOISY - GAIN),
    "the noise with the other sign": repr(GAIN - NOISY),
    "the noise, rounded": f"{NOISY - GAIN:.10f}",
}


def test_honest_bytes_have_no_trace() -> None:
    assert traces(HONEST, [TRUTH]) == []


@each("how", list(LEAKS))
def test_a_true_value_is_found_in_any_of_these_forms(how: str) -> None:
    leak = LEAKS[how]
    code = leak if isinstance(leak, bytes) else leak.encode()
    assert traces(HONEST + b"\r\nX-Note: " + code + b"\r\n", [TRUTH]) != []


def test_it_says_what_it_cannot_find() -> None:
    secret = bytes(byte ^ 0x5A for byte in repr(GAIN).encode())  # encrypted, as it were
    assert traces(HONEST + secret, [TRUTH]) == []
    assert traces(HONEST + f"{GAIN:.4f}".encode(), [TRUTH]) == []  # for this there is wrong_noise


def test_the_size_of_the_noise_is_told_from_others() -> None:
    rng, count, scale = rng_for(0, "wrong noise"), 32, 0.1
    truths = [Truth("H01", week, int(rng.integers(10**6, 10**7)), 2 * 10**7) for week in range(count)]
    gains = [truth.gain for truth in truths]
    right = [gain + scale * rng.standard_normal() for gain in gains]
    assert wrong_noise(right, truths, [scale] * count) is None
    for values in (
        gains,
        [round(gain, 3) for gain in gains],
        [gain + 0.3 * (value - gain) for gain, value in zip(gains, right, strict=True)],
        [gain + 3 * (value - gain) for gain, value in zip(gains, right, strict=True)],
    ):
        assert wrong_noise(values, truths, [scale] * count) is not None


WORLD = Setting({"H01": 6 * 10**7, "H02": 8 * 10**7}, 40 / (6 * 10**7), 16, 0, 1.0, 2.0)


def figures(count: int) -> list[Truth]:
    """Return true figures of many digits, two hospitals of one after the other."""
    patients = rng_for(1, "figures").integers(10**6, 10**7, count)
    names = ["H01"] * (count // 2) + ["H02"] * (count - count // 2)
    return [Truth(name, 1, int(some), WORLD.beds[name]) for name, some in zip(names, patients, strict=True)]


@each(("how", "said"), [
    ("fresh", None),
    ("one noise for all", "squared change of noise"),
    ("one noise for all, and a little more", "squared change of noise"),
    ("one noise of usual size for one hospital", "noise was used again in 15 reports"),
    ("one noise twice", "noise was used again in 1 reports"),
    ("one noise twice, with the other sign", "noise was used again in 1 reports"),
    ("one draw twice, each with its own scale", "noise was used again in 1 reports"),
])  # fmt: skip
def test_noise_that_is_used_again_is_told_from_fresh_noise(how: str, said: str | None) -> None:
    truths, rng = figures(32), rng_for(3, "used again")
    scales = np.array([WORLD.scale(truth.hospital) for truth in truths])
    noise = scales * rng.standard_normal(32)
    if how.startswith("one noise for all"):
        noise = scales + (0.01 * noise if "more" in how else 0.0)
    elif how == "one noise of usual size for one hospital":
        noise[:16] = noise[0]
    elif how != "fresh":
        noise[20] = -noise[3] if "sign" in how else noise[3]
    if "own scale" in how:
        assert scales[20] != scales[3]
        noise[20] *= scales[20] / scales[3]
    grid = 2.0**30
    values = [(round(truth.gain * grid) + round(own * grid)) / grid for truth, own in zip(truths, noise, strict=True)]
    found = wrong_noise(values, truths, scales)
    assert found is None if said is None else said in str(found)


def test_fresh_noise_is_seldom_refused() -> None:
    rng, truths = rng_for(4, "false alarms"), figures(32)
    gains = np.array([truth.gain for truth in truths])
    scales = np.array([WORLD.scale(truth.hospital) for truth in truths])
    rounds = gains + scales * rng.standard_normal((300, 32))
    # By the stated chances not one in 9000 is refused.
    assert [found for values in rounds if (found := wrong_noise(values, truths, scales))] == []


class Scaled:
    """Noise of another size than was asked for."""

    def __init__(self, ratio: float) -> None:
        self._ratio, self._noise = ratio, SimulatedNoise(rng_for(5, "scaled"))

    def perturb(self, values, scale, repetitions):
        return self._noise.perturb(values, self._ratio * scale, repetitions)


@each(("ratio", "holds"), [(1.0, True), (0.9, False), (1.1, False), (0.46, False), (1.65, False), (0.0, False)])
def test_the_check_measures_the_size_of_noise_to_a_tenth(ratio: float, holds: bool) -> None:
    noise = Scaled(ratio) if ratio else Scaled(1e-12)
    assert (size(WORLD, figures(32), noise, DRAWS)[1] == []) is holds


@pytest.mark.parametrize(("second", "problems"), [(NOISY, 0), (NOISY + 0.25, 1)])
def test_a_second_draw_for_the_same_week_is_seen(second: float, problems: int) -> None:
    again = HONEST.replace(repr(NOISY).encode(), repr(second).encode())
    assert len(released_twice([HONEST, again])) == problems  # over another connection
    assert len(released_twice([HONEST + again])) == problems
    other = again.replace(b"Bearer 3", b"Bearer 4")
    assert released_twice([HONEST, other]) == []
