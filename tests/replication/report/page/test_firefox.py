"""The page in a second browser: Firefox draws the same first screen as Chromium. Skipped without Firefox."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from private_experts.replication.report.claims_stages import page as build
from tests.replication.browsing import CHROMIUM
from tests.replication.report.page.conftest import left, small

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
pytestmark = pytest.mark.skipif(
    not (FIREFOX and CHROMIUM),
    reason="Firefox and Chromium are not both installed (apt-get install firefox-esr)",
)
SIZE = "1280,1800"


def screen(folder: Path, *command: str) -> np.ndarray:
    """Return how dark each part of a browser's screen is: parts of ten by ten pixels."""
    shot = folder / f"{Path(command[0]).name}.png"
    environment = os.environ | {"HOME": str(folder), "MOZ_HEADLESS": "1"}
    words = [word.replace("SHOT", str(shot)) for word in command]
    subprocess.run(words, env=environment, cwd=folder, check=True, capture_output=True, timeout=600)
    grey = np.asarray(image.open(shot).convert("L"), dtype=float)[:1700, :1280]
    return 255 - grey.reshape(170, 10, 128, 10).mean(axis=(1, 3))


def test_firefox_draws_what_chromium_draws(tmp_path: Path) -> None:
    options = left(tmp_path, ledger=small(7))
    build(**options)
    address = options["output"].as_uri()
    profile = tmp_path / "profile"
    profile.mkdir()
    one = screen(
        tmp_path,
        str(FIREFOX),
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
        f"--window-size={SIZE}",
        "--screenshot",
        "SHOT",
        address,
    )
    other = screen(
        tmp_path,
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={SIZE}",
        "--screenshot=SHOT",
        address,
    )
    assert one.max() > 50  # there is text
    alike = np.corrcoef(one.ravel(), other.ravel())[0, 1]
    assert alike > 0.8
    # the measure sees a shift
    assert np.corrcoef(one.ravel(), np.roll(other, 5, axis=0).ravel())[0, 1] < alike - 0.2
