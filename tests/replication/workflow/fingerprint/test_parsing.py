import ast
import functools
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import private_experts
from private_experts.errors import InputError
from private_experts.replication.workflow.fingerprint import Source
from tests.replication.workflow.fingerprint.toy import ENTRY, TOY, put, reach


@pytest.mark.parametrize("text", ["x = 1\nx = = 2\n", "x = 1\nx = '\n", "x = 1\nfrom math import *\n"])
def test_what_cannot_be_followed_is_refused_with_file_and_line(write, text):
    root = write({**TOY, "plain.py": text})
    with pytest.raises(InputError, match=r"plain\.py:2: (not valid Python|.* \* cannot be followed)"):
        reach(root)


# What the three versions parse, quote or print in different ways.
VERSIONS = r'''
    import dataclasses

    TEXTS = [u"u", b"b", 'it''s', "\u0378 \U0001fae8", 1e400, -0.0, 10_000, ..., 1j]


    @dataclasses.dataclass(frozen=True)
    class Row:
        name: str = "it's \"quoted\""

        def text(self, d, w: int = 3, *args, k=None, **kw) -> str:
            return f"{d['a']!r:>{w}} {d['b']}" if d else f"{self.name:{'>'}{w}}" f'{w=}' "{{}}"


    async def run(x, /, *, y=(z := 2)):
        match x:
            case {"a": [1, *rest], **more} if rest:
                return f"{x!s:{y}.{z}f}" f'{"nested " + f"{x:{y}}"}' """ "three" """
            case Row(name=None) | -1 as found:
                return [i async for i in found], {**more}, lambda *a, b=1: (yield), more[1:2, ::3]
        try:
            with (open("a") as a, open("b") as b):
                pass
        except* (OSError, ValueError) as error:
            raise RuntimeError(f"{error}\n{Row().text({}):\t<{y}}") from error
        return f"", f"{x}" "", rf"\d{x:\d}", f"{x:}", TEXTS
    '''


@functools.cache
def _homes() -> frozenset[Path]:
    """Return where this Python is installed, and each that the search path calls python3."""
    options = ("-c", "import sys; print(sys.base_prefix)")
    on_path = {shutil.which("python3", path=folder) for folder in os.get_exec_path()} - {None}
    reached = [
        subprocess.run([python, *options], capture_output=True, text=True, check=False).stdout
        for python in on_path
    ]
    return frozenset(Path(text.strip()) for text in (sys.base_prefix, *reached) if text.strip())


def interpreter(version: str) -> str | None:
    """Find another Python: on the search path, or installed beside the one that runs or one on that path."""
    beside = sorted(path for home in _homes() for path in home.parent.glob(f"{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, beside)):
        if candidate is not None:
            shown = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
            if shown.returncode == 0 and shown.stdout.startswith(f"Python {version}."):
                return candidate
    return None


OTHERS = {"3.11", "3.12", "3.13"} - {f"{sys.version_info[0]}.{sys.version_info[1]}"}


@pytest.mark.parametrize("version", sorted(OTHERS))
def test_the_fingerprint_is_the_same_on_every_python(write, version):
    root = write({**TOY, "versions.py": VERSIONS})
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on the search path or beside this one")
    source = Path(private_experts.__file__).parent
    entries = [(ENTRY, root), ("toy.versions:run", root)]
    entries.append(("private_experts.replication.workflow.fingerprint:write_stamps", source.parent))
    program = f"""if True:
        import json, sys, types
        from pathlib import Path
        package = sys.modules["private_experts"] = types.ModuleType("private_experts")
        package.__path__ = [{str(source)!r}]  # not __init__.py: the other Python may lack the libraries
        from private_experts.replication.workflow.fingerprint import Source
        said = [
            Source(Path(root), entry.partition(".")[0]).reach(entry) for entry, root in json.load(sys.stdin)
        ]
        print(json.dumps(said))
    """
    asked, words = json.dumps([(entry, str(root)) for entry, root in entries]), [python, "-I", "-c", program]
    ran = subprocess.run(words, input=asked, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    here = [Source(root, entry.partition(".")[0]).reach(entry) for entry, root in entries]
    assert json.loads(ran.stdout) == here


STAGES = textwrap.dedent(TOY["stages.py"])
STARTS = sorted({node.lineno for node in ast.walk(ast.parse(STAGES)) if isinstance(node, ast.stmt)})


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """Return a toy package, and what its entry reaches."""
    root = tmp_path_factory.mktemp("toy")
    put(root / "toy", TOY)
    return root, reach(root)


BLANK = st.sampled_from(["", "# why", "    # why", "\t#" + "x = 1", "#: \N{GREEK SMALL LETTER ETA}"])


@settings(deadline=None, max_examples=30)  # files are read anew for each example
@given(st.lists(st.tuples(st.sampled_from(STARTS), BLANK)))
def test_comments_and_blank_lines_never_matter(toy, insertions):
    root, before = toy
    lines = STAGES.splitlines()
    for line, text in sorted(insertions, reverse=True):
        lines.insert(line - 1, text)
    (root / "toy" / "stages.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert reach(root) == before
