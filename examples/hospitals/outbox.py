"""What a hospital has sent, or is about to send: one noisy report for each week, drawn once and kept.

A second draw for the same figure would be a second release, and cost privacy again. So a report is on the disk before
it is sent, and the first one stays, even when two processes of one hospital run by mistake.
"""

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from private_experts.errors import InputError


class Noisy(NamedTuple):
    """A noisy value and the scale of its noise."""

    value: float
    scale: float


class Outbox:
    """The reports of one hospital, in a folder that is made when it is not there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder

    def kept(self, week: int) -> Noisy | None:
        """Return the report of a week, None when none was drawn; refuse a damaged one, which may have been sent."""
        path = self._path(week)
        try:
            value, scale = json.loads(path.read_text(encoding="utf-8"))
            if type(value) is type(scale) is float and math.isfinite(value) and math.isfinite(scale):
                return Noisy(value, scale)
        except FileNotFoundError:
            return None
        except (TypeError, ValueError, RecursionError):
            pass
        raise InputError(f"{path}: is no report such as [0.25, 0.02]; restore it, or remove it if it was never sent")

    def keep(self, week: int, report: Noisy) -> Noisy:
        """Keep a report, and return the one that is kept: the first."""
        with tempfile.NamedTemporaryFile("w", dir=self._folder, encoding="utf-8") as draft:
            json.dump(report, draft)
            draft.flush()
            os.fsync(draft.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(draft.name, self._path(week))
        folder = os.open(self._folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        return self.kept(week) or report

    def _path(self, week: int) -> Path:
        return self._folder / f"{week:04d}.json"
