"""Packages that Snakemake's process imports only when something of them is used."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from private_experts.replication.run.later import plain

USE = """
import sys
from importlib.util import find_spec
from private_experts.replication.run.later import put_off

put_off("colorsys", "json", "nowhere")
import colorsys, json
assert find_spec("colorsys") and "nowhere" not in sys.modules
assert "rgb_to_hsv" not in vars(colorsys)
assert json.decoder.JSONDecoder  # a module of a package
from colorsys import rgb_to_hsv
assert rgb_to_hsv(1, 1, 1) == colorsys.rgb_to_hsv(1, 1, 1)
assert sys.modules["colorsys"] is not colorsys
put_off("colorsys")
assert "rgb_to_hsv" in vars(sys.modules["colorsys"])
"""


SNAKEMAKE = """
import sys
from private_experts.replication.run.later import put_off

packages = ("numpy", "pandas", "requests")
put_off(*packages)
import snakemake.cli
snakemake.cli.get_argument_parser()  # imports the plugins
assert not [each for each in packages if "__version__" in vars(sys.modules[each])]
"""


@pytest.mark.parametrize("code", [USE, SNAKEMAKE])
def test_a_package_that_was_put_off_is_there_when_something_of_it_is_used_and_not_before(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_parameters_are_noted_as_snakemake_notes_plain_ones() -> None:
    from snakemake.persistence import PersistenceBase

    class Noting(PersistenceBase):  # type: ignore[misc]
        pass

    plain(Noting)
    noting = SimpleNamespace(_serialize_param_builtin=PersistenceBase._serialize_param_builtin)
    assert Noting._serialize_param.fget(noting) is PersistenceBase._serialize_param_builtin
    other = type("Other", (), {})
    plain(other)
    assert not hasattr(other, "_serialize_param")
