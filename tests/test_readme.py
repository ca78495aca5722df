"""What the README promises."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert said.startswith("1-GDP (local) regret ")
    # (eta + 2/eta) sqrt(2 T log n) with eta = 0.5
    assert 0 < float(said.split()[-1]) < 4.5 * (2 * 200 * 2.302585) ** 0.5


def test_every_make_target_it_names_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {"".join(each) for each in re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", README, flags=re.MULTILINE)}
    assert {"reproduce", "test", "smoke"} <= named
    assert named <= {*re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE)}
