"""A private authority and the certificate of a coordinator, made by the program openssl.

The authority's key signs nothing but coordinators' certificates. Whoever has it can pass for the coordinator, so it
stays on one machine, apart from the coordinator's. Hospitals get its certificate, which is public.
"""

import ipaddress
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from examples.hospitals.private_files import write_private
from private_experts.errors import InputError

AUTHORITY, AUTHORITY_KEY = "authority.pem", "authority.key"
CERTIFICATE, KEY = "tls.pem", "tls.key"

YEARS = 10
"""How long an authority's certificate is valid."""

DAYS = 397
"""How long a coordinator's is."""

_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def make_authority(folder: Path) -> None:
    """Make an authority in a folder that has none. Its certificate is written last: where it is, all is."""
    if (folder / AUTHORITY).exists():
        raise InputError(f"{folder / AUTHORITY}: is there already; name a new folder")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror}); name a new folder") from error
    config = (
        "[req]\ndistinguished_name = name\nx509_extensions = authority\n[name]\n"
        "[authority]\nbasicConstraints = critical, CA:TRUE, pathlen:0\nkeyUsage = critical, keyCertSign\n"
        "subjectKeyIdentifier = hash\n"
    )
    with tempfile.TemporaryDirectory(dir=folder) as drafts:
        draft = Path(drafts)
        write_private(draft / "config", config)
        made = ["-keyout", AUTHORITY_KEY, "-out", AUTHORITY, "-days", str(365 * YEARS)]
        _openssl(
            draft, "req", "-x509", *_NEW_KEY, "-config", "config", "-subj", "/CN=Authority of the hospitals", *made
        )
        for name in (AUTHORITY_KEY, AUTHORITY):
            (draft / name).replace(folder / name)


def make_certificate(authority: Path, folder: Path, hosts: Sequence[str], days: int = DAYS) -> None:
    """Make or renew the key and certificate of a coordinator's folder, for the hosts by which hospitals reach it."""
    for host in hosts:
        if not re.fullmatch(r"[0-9A-Za-z.:-]{1,253}", host):
            raise InputError(f"--host {host!r}: write a name or an address, such as 192.0.2.7")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror}); name the folder of a coordinator") from error
    if not (authority / AUTHORITY_KEY).is_file():
        raise InputError(f"{authority / AUTHORITY_KEY}: no such file; name the folder of the authority")
    config = (
        "[req]\ndistinguished_name = name\n[name]\n"
        "[coordinator]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n"
        "extendedKeyUsage = serverAuth\nsubjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid\n"
        f"subjectAltName = {', '.join(map(_alternative, hosts))}\n"
    )
    with tempfile.TemporaryDirectory(dir=folder) as drafts:
        draft, signing = Path(drafts), authority.absolute()
        write_private(draft / "config", config)
        _openssl(
            draft, "req", "-new", *_NEW_KEY, "-config", "config", "-subj", "/CN=Coordinator", "-keyout", KEY,
            "-out", "request",
        )  # fmt: skip
        _openssl(
            draft, "x509", "-req", "-in", "request", "-CA", str(signing / AUTHORITY), "-CAkey",
            str(signing / AUTHORITY_KEY), "-set_serial", str(int.from_bytes(os.urandom(15), "big") + 1),
            "-days", str(days), "-extfile", "config", "-extensions", "coordinator", "-out", CERTIFICATE,
        )  # fmt: skip
        for name in (KEY, CERTIFICATE):
            (draft / name).replace(folder / name)


def _alternative(host: str) -> str:
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        return f"DNS:{host}"


def _openssl(folder: Path, *words: str) -> None:
    try:
        done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, umask=0o077)
    except OSError as error:
        raise InputError(f"certificates need the program openssl ({error.strerror}): install it") from error
    if done.returncode:
        raise InputError(f"openssl {words[0]} failed: {' '.join(done.stderr.split())[-300:]}")
