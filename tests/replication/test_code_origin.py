"""A run computes with this folder's code."""

from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.code_origin import check

ROOT = Path(__file__).parents[2]


def test_the_code_of_another_folder_is_refused(tmp_path: Path) -> None:
    check(ROOT)
    (tmp_path / "link").symlink_to(ROOT)
    check(tmp_path / "link")
    check(tmp_path)  # a folder with claims alone
    (tmp_path / "src").mkdir()
    with pytest.raises(InputError, match="private-experts is imported from"):
        check(tmp_path)
