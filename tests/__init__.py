"""The tests. Their processes run side by side, so each has one thread, as jobs have; this comes before NumPy does."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
