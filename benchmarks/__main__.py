"""Run all benchmarks, or those named, and print their ratios.

`other_libraries` runs only where it is named: it needs packages that the project does not.
"""

import importlib
import sys

ALL = ("aims", "copies", "curves", "study", "walks", "streaming", "scale", "checks")
NAMED = (*ALL, "other_libraries")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        if name not in NAMED:
            sys.exit(f"benchmarks: there is no {name!r}; name some of {', '.join(NAMED)}")
        importlib.import_module(f"benchmarks.{name}").main()
