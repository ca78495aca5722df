"""Run all benchmarks and print their ratios."""

import os

# One thread a process, as in the workflow; before NumPy loads.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from benchmarks import study  # noqa: E402

if __name__ == "__main__":
    study.main()
