"""A line on the terminal while something takes long."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from private_experts.replication.plotting.numbers import duration

PATIENCE = 3.0  # seconds without a line
PAUSE = 1.0  # seconds until it is renewed


@contextmanager
def progress(words: Callable[[], str], done: Callable[[], float], total: float) -> Iterator[None]:
    """Show on a terminal what is done, for how long, and the time left at the pace so far.

    - `words`: Returns what is done, in words.
    - `done`: Returns how much of `total` is done.
    - `total`: The expected work.
    """
    over, began = threading.Event(), time.monotonic()
    with tqdm(bar_format="{desc}", leave=False, disable=None, file=sys.stderr) as bar:

        def watch() -> None:
            pause = PATIENCE
            while not over.wait(pause):
                bar.set_description_str(f"{words()}, {_left(time.monotonic() - began, done(), total)}")
                pause = PAUSE

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def _left(seconds: float, done: float, total: float) -> str:
    if done <= 0:
        return duration(seconds)
    rest = f"about {duration((total - done) * seconds / done)} left" if done < total else "longer than expected"
    return f"{duration(seconds)}, {rest}"
