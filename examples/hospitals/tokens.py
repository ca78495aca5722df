"""Tokens: each hospital has a secret one, of which the coordinator keeps only the hash.

To change it, a hospital has two for a while: the new one is made, the hospital gets it, and the old one is retired.
"""

import hashlib
import hmac
import json
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from examples.hospitals.private_files import alone, write_private
from examples.hospitals.setting import read_setting
from private_experts.errors import InputError

HASHES = "tokens.json"

Hashes = dict[str, list[str]]
"""The hashes of the tokens that are valid, by hospital, the newest last."""

_HASH = re.compile("[0-9a-f]{64}")


def new_token() -> str:
    """Return a token that nobody can guess: 256 bits from the operating system."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what is kept of a token. It has 256 random bits, so a plain hash cannot be reversed by trying."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_hashes(path: Path, hospitals: Iterable[str]) -> Hashes:
    """Read the hashes of each hospital's tokens, or refuse a file that lacks one."""
    try:
        hashes = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON; restore it from a backup") from error
    if (
        not isinstance(hashes, dict)
        or hashes.keys() != set(hospitals)
        or not all(
            isinstance(kept, list) and kept and all(isinstance(one, str) and _HASH.fullmatch(one) for one in kept)
            for kept in hashes.values()
        )
    ):
        raise InputError(f"{path}: must have a list of hashes of tokens for each hospital in the setting; restore it")
    return hashes


def owner(token: str, hashes: Hashes) -> str | None:
    """Return whose token this is, if anybody's. The time that it takes does not tell how near a guess was."""
    digest = hashed(token)
    matches = [name for name, kept in hashes.items() for one in kept if hmac.compare_digest(digest, one)]
    return matches[0] if matches else None


class Tokens:
    """The file of hashes of a coordinator that runs: what is changed in it holds at once."""

    def __init__(self, path: Path, hospitals: Sequence[str]) -> None:
        self._path, self._hospitals = path, hospitals
        self._hashes, self._seen = read_hashes(path, hospitals), self._state()

    def owner(self, token: str) -> str | None:
        """Return whose token this is, if anybody's."""
        state = self._state()
        if state != self._seen:
            self._seen = state
            try:
                self._hashes = read_hashes(self._path, self._hospitals)
            except InputError as error:
                print(f"coordinator: the tokens stay as they were: {error}", file=sys.stderr, flush=True)
        return owner(token, self._hashes)

    def _state(self) -> tuple[int, ...]:
        try:
            told = self._path.stat()
        except OSError:
            return ()
        return told.st_ino, told.st_mtime_ns, told.st_size


def make_first(coordinator: Path, target: Path) -> None:
    """Make a token for each hospital in the setting, in a new folder, and keep the hashes."""
    tokens = {hospital: new_token() for hospital in read_setting(coordinator).hospitals}
    with alone(coordinator):
        for path in (coordinator / HASHES, target):
            if path.exists():
                raise InputError(f"{path}: is there already; say token to give one hospital another")
        target.mkdir(mode=0o700)
        try:
            for hospital, token in tokens.items():
                (target / hospital).mkdir(mode=0o700)
                write_private(target / hospital / "token", token)
            write_private(
                coordinator / HASHES, json.dumps({name: [hashed(token)] for name, token in tokens.items()}, indent=1)
            )
        except OSError:
            shutil.rmtree(target)
            raise


def renew(coordinator: Path, hospital: str, target: Path) -> None:
    """Make another token for a hospital and write it to a new file; the ones that it has stay valid."""
    token = new_token()

    def added(kept: list[str]) -> list[str]:
        if target.exists():
            raise InputError(f"{target}: is there already; name a new file")
        write_private(target, token)
        return [*kept, hashed(token)]

    _change(coordinator, hospital, added)


def retire(coordinator: Path, hospital: str) -> int:
    """Let only the newest token of a hospital be valid, and return how many were before."""
    return len(_change(coordinator, hospital, lambda kept: kept[-1:])) - 1


def _change(coordinator: Path, hospital: str, change: Callable[[list[str]], list[str]]) -> list[str]:
    """Change the hashes of a hospital, by one process at a time, and return those that were there."""
    hospitals = read_setting(coordinator).hospitals
    if hospital not in hospitals:
        raise InputError(f"{hospital}: is not in the setting; write one of {', '.join(hospitals)}")
    with alone(coordinator):
        hashes = read_hashes(coordinator / HASHES, hospitals)
        write_private(coordinator / HASHES, json.dumps(hashes | {hospital: change(hashes[hospital])}, indent=1))
    return hashes[hospital]
