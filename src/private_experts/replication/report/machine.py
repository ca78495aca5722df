"""What of the machine results can depend on: the last bits on its kernels, and the time on its cores."""

import ctypes
import math
import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path("/")  # of the folders in which Linux tells of itself


def facts() -> dict[str, Any]:
    """Return Python version, the system, the processor, and the kernels NumPy and OpenBLAS choose for it."""
    import numpy as np
    import scipy.linalg  # noqa: F401  (it has an OpenBLAS of its own)

    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": usable_cores(),
        "blas": _blas_kernels() or [np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]],
        "simd": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
    }


def customized() -> list[str]:
    """Return the files that ran as Python started, and may have changed any package; none of Python's own."""
    own = Path(sysconfig.get_path("stdlib")).resolve()  # Homebrew's goes by a link
    modules = (sys.modules.get(name) for name in ("sitecustomize", "usercustomize"))
    files = (getattr(module, "__file__", None) for module in modules)
    return [file for file in files if file and Path(file).parent.resolve() != own]


def _processor() -> str:
    try:
        cpuinfo = (ROOT / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        return re.findall(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)[0]
    except (OSError, IndexError):  # another system, or another architecture
        return platform.processor() or platform.machine()


def _blas_kernels() -> list[str]:
    """Return the kernels of each OpenBLAS in this process, as it names them; none where not Linux."""
    try:
        loaded = (ROOT / "proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    kernels = set()
    # A line ends with the path, which may hold spaces. Other files may have the word in it, and updates
    # delete files.
    for path in set(re.findall(r" (/.*openblas[^/\n]*)$", loaded, re.MULTILINE)):
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for name in ("", "64_"):
            for prefix in ("scipy_", ""):
                if (corename := getattr(library, f"{prefix}openblas_get_corename{name}", None)) is not None:
                    corename.restype = ctypes.c_char_p
                    kernels.add(corename().decode())
    return sorted(kernels)


def usable_cores() -> int:
    """Return how many cores this process is bound to, or if less its container's quota, rounded up."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = (ROOT / "sys/fs/cgroup/cpu.max").read_text(encoding="utf-8").split()
        # A quota of 1.5 cores keeps two busy in turn; rounding down would leave one idle.
        return min(bound, math.ceil(int(quota) / int(period)))
    except (OSError, ValueError):  # no such file, or "max" in the place of a number
        return bound
