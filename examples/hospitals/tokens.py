"""Tokens: each hospital has a secret one, of which the coordinator keeps only the hash."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from private_experts.errors import InputError


def new_token() -> str:
    """Return a token that nobody can guess: 256 bits from the operating system."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what is kept of a token. It has 256 random bits, so a plain hash cannot be reversed by trying."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_hashes(path: Path, hospitals: Iterable[str]) -> dict[str, str]:
    """Read the hash of each hospital's token, or refuse a file that lacks one."""
    try:
        hashes = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON; start anew in another folder") from error
    if (
        not isinstance(hashes, dict)
        or hashes.keys() != set(hospitals)
        or not all(isinstance(kept, str) and re.fullmatch("[0-9a-f]{64}", kept) for kept in hashes.values())
    ):
        raise InputError(f"{path}: must have the hash of the token of each hospital in the setting; restore it")
    return hashes


def owner(token: str, hashes: Mapping[str, str]) -> str | None:
    """Return whose token this is, if anybody's. The time that it takes does not tell how near a guess was."""
    digest = hashed(token)
    matches = [name for name, kept in hashes.items() if hmac.compare_digest(digest, kept)]
    return matches[0] if matches else None
