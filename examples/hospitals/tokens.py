"""Tokens: each hospital has a secret one, of which the coordinator keeps only the hash.

To change it, a hospital has two for a while: the new one is made, the hospital gets it, and the old one is retired.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

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


def write_hashes(path: Path, hashes: Hashes) -> None:
    """Write the hashes in one step: a coordinator that runs has the old ones, and then the new ones."""
    draft = path.with_name(path.name + ".part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(hashes, stream, indent=1)
        stream.flush()
        os.fsync(descriptor)
    draft.replace(path)


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


def renew(coordinator: Path, hospital: str, target: Path) -> None:
    """Make another token for a hospital and write it to a new file; the ones that it has stay valid."""
    hashes = _of(coordinator, hospital)
    token = new_token()
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror}); name a new file") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(token)
    write_hashes(coordinator / HASHES, hashes | {hospital: [*hashes[hospital], hashed(token)]})


def retire(coordinator: Path, hospital: str) -> int:
    """Let only the newest token of a hospital be valid, and return how many were before."""
    hashes = _of(coordinator, hospital)
    write_hashes(coordinator / HASHES, hashes | {hospital: hashes[hospital][-1:]})
    return len(hashes[hospital]) - 1


def _of(coordinator: Path, hospital: str) -> Hashes:
    hospitals = read_setting(coordinator).hospitals
    if hospital not in hospitals:
        raise InputError(f"{hospital}: is not in the setting; write one of {', '.join(hospitals)}")
    return read_hashes(coordinator / HASHES, hospitals)
