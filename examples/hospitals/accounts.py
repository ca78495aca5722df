"""What the reports so far have cost in privacy, by hospital and week. It is computed from public facts alone.

One who lies elsewhere moves the reports of two hospitals. Each report spends the square of its reach over its scale,
and squares add: over the two hospitals that spend most in a week, and over weeks. Two draws of a week spend twice.
"""

from collections.abc import Iterable

import numpy as np

from examples.hospitals.setting import MOVED, Setting
from private_experts.arrays import Array


class Accounts:
    """The accounts of the first `weeks` weeks: `draws` are week, hospital, and how often it has drawn.

    `levels` are the levels of the hospitals' reports, (weeks, hospitals); 0 where there was no draw.
    """

    def __init__(self, setting: Setting, weeks: int, draws: Iterable[tuple[int, str, int]]) -> None:
        places = {hospital: place for place, hospital in enumerate(setting.hospitals)}
        counts = np.zeros((weeks, len(places)))
        for week, hospital, count in draws:
            if week <= weeks:
                counts[week - 1, places[hospital]] = count
        reach = np.array([setting.reach(hospital) for hospital in places])
        self.levels: Array = np.sqrt(counts) * reach / setting.scales

    def of_hospitals(self) -> Array:
        """Return the level of all reports of each hospital: somebody lay there in all these weeks, or nowhere."""
        return np.asarray(np.sqrt((self.levels**2).sum(axis=0)))

    def of_weeks(self) -> Array:
        """Return the level of each week's reports: somebody lay in one hospital, or in another one."""
        return np.asarray(np.sqrt((np.sort(self.levels)[:, -MOVED:] ** 2).sum(axis=1)))

    def of_all(self) -> float:
        """Return the level of all reports, for somebody who was a patient in every week."""
        return float(np.sqrt((self.of_weeks() ** 2).sum()))
