"""Benchmarks of speed, reported as ratios. What is compared is timed side by side: python -m benchmarks."""

import os

# One thread for each process, as in the workflow. This must be set before NumPy is loaded.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
