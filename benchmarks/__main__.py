"""Run benchmarks and print their ratios: all of them, or those named (study, privacy, walks, streaming)."""

import importlib
import os
import sys

# One thread a process, as in the workflow; before NumPy loads.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

ALL = ("study", "privacy", "walks", "streaming")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        if name not in ALL:
            sys.exit(f"benchmarks: there is no {name!r}; name some of {', '.join(ALL)}")
        importlib.import_module(f"benchmarks.{name}").main()
