"""The comparison with other libraries needs packages that the project neither has nor locks."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_it_says_what_to_install_and_no_lock_has_it() -> None:
    code = "import sys, runpy; sys.modules['river'] = None; runpy.run_module('benchmarks.other_libraries')"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.endswith("is not installed; pip install -r benchmarks/other-libraries.txt\n")
    wanted = (ROOT / "benchmarks/other-libraries.txt").read_text(encoding="utf-8")
    for file in (*ROOT.glob("*.lock"), ROOT / "pyproject.toml"):
        text = file.read_text(encoding="utf-8").lower()
        assert not [name for name in ("mabwiser", "river") if f"\n{name}==" in text or f'"{name}' in text]
    assert "\nmabwiser==" in wanted
    assert "\nriver==" in wanted
