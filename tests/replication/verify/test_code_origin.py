"""A run computes with this folder's code, and with the packages that its manifest names."""

import importlib
import sys
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.verify.code_origin import COMPUTING, check

ROOT = Path(__file__).parents[3]


def test_the_code_of_another_folder_is_refused(tmp_path: Path) -> None:
    check(ROOT)
    (tmp_path / "link").symlink_to(ROOT)
    check(tmp_path / "link")
    check(tmp_path)  # a folder with claims alone
    (tmp_path / "src").mkdir()
    with pytest.raises(InputError, match="private-experts is imported from"):
        check(tmp_path)


@pytest.mark.parametrize("module", COMPUTING)
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_a_package_that_another_one_shadows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, file: str
) -> None:
    shadow = tmp_path / file.format(module)
    shadow.parent.mkdir(exist_ok=True)
    shadow.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, module, raising=False)
    importlib.invalidate_caches()
    with pytest.raises(
        InputError, match=f"{module} is imported from {shadow}, not from .*; unset PYTHONPATH"
    ):
        check(ROOT)
