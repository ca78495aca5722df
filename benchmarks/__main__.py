"""Run all benchmarks, or those named (study, privacy, walks, streaming, checks), and print their ratios."""

import importlib
import os
import sys

# One thread for each process, as in the workflow. This must be set before NumPy is loaded.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

ALL = ("study", "privacy", "walks", "streaming", "checks")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        if name not in ALL:
            sys.exit(f"benchmarks: there is no {name!r}; name some of {', '.join(ALL)}")
        importlib.import_module(f"benchmarks.{name}").main()
