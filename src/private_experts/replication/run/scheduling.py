"""A calmer scheduler for Snakemake.

Snakemake limits how many jobs it starts in a second. For that its scheduler looks at all waiting jobs again a second
after each look, and also when a job ends. Each of these looks sets a timer of its own, and so every job that ends adds
one more look a second, to the end of the run: the work of the main process grows with the square of the number of
jobs. The limit is never reached here, and in a run of many short jobs the looks took the main process about as long as
planning the jobs. docs/performance.md has the figures. (snakemake/snakemake, pull request 3744, is about the same
timers.)
"""

import threading
from typing import Any


def calm(scheduler: Any) -> None:
    """Let a class of schedulers have one timer at a time, which does not keep the program from ending.

    A class without the method that sets timers, as in another version of Snakemake, is left as it is.
    """
    if not hasattr(scheduler, "_schedule_reevalutation"):
        return

    def look_again(self: Any, delay: float) -> None:
        def look() -> None:
            self.timer = None
            self._open_jobs.release()

        if getattr(self, "timer", None) is None:
            self.timer = threading.Timer(delay, look)
            self.timer.daemon = True
            self.timer.start()

    scheduler._schedule_reevalutation = look_again
