"""The noise in the reports of a local player: what a run keeps of reports, by its sums."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.reports import Reports


@dataclass(frozen=True)
class ReportNoise:
    """Reports less true gains, by week and hospital, shape (T, n), in units of the scale that reports state.

    Sums are over the copies. What the reports state is kept beside them, so that both can be compared with
    what the beds ask for.
    """

    copies: int
    variance: Array  # that the reports state
    squares: Array
    products: Array  # with the noise of the week before; 0 in the first week

    def rows(self, name: str) -> Iterator[str]:
        """Yield a row of `formats.REPORT_NOISE` for each hospital and each week, which begins with `name`."""
        for side, axis in (("hospital", 0), ("week", 1)):
            sums = (array.sum(axis=axis).tolist() for array in (self.variance, self.squares, self.products))
            for number, (variance, squares, products) in enumerate(zip(*sums, strict=True), start=1):
                noise = f"{self.copies},{variance:.12g},{squares:.6g},{products:.6g}"
                yield f"{name},{side},{number},{noise}"


def noise_of_reports(gains: Array, reports: Sequence[Reports]) -> ReportNoise | None:
    """Return the noise of the very reports that a player is given; None where they have none."""
    if not all(report.least_scale > 0 for report in reports):
        return None
    variance, squares, products = np.empty((3, *gains.shape))
    before = np.zeros(1)
    for t, (report, week) in enumerate(zip(reports, gains, strict=True)):
        noise = (report.values - week) / report.scale
        variance[t] = np.square(report.scale)
        squares[t], products[t] = np.square(noise).sum(axis=0), (noise * before).sum(axis=0)
        before = noise
    return ReportNoise(len(before), variance, squares, products)


def pooled(parts: Sequence[ReportNoise | None]) -> ReportNoise | None:
    """Return the noise of all blocks of copies of a game; they state the same."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    squares, products = (sum(getattr(part, name) for part in present) for name in ("squares", "products"))
    return ReportNoise(sum(part.copies for part in present), present[0].variance, squares, products)
