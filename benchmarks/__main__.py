"""Run all benchmarks, or those named (study, walks, streaming, scale, checks), and print their ratios."""

import importlib
import sys

ALL = ("study", "walks", "streaming", "scale", "checks")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        if name not in ALL:
            sys.exit(f"benchmarks: there is no {name!r}; name some of {', '.join(ALL)}")
        importlib.import_module(f"benchmarks.{name}").main()
