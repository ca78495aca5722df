"""The tests. Processes run side by side, so each has one thread, as jobs; this precedes NumPy."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
