"""The commands of the deployment: ``python -m examples.hospitals start``, ``check`` or ``load``."""

import argparse
import functools
import math
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from examples.hospitals.certificates import AUTHORITY, CERTIFICATE, make_authority, make_certificate
from examples.hospitals.hospital import once_readable
from examples.hospitals.processes import Deployment, end_with_parent
from examples.hospitals.sending import LOOPBACK, Line
from examples.hospitals.serving import check_port, serve
from examples.hospitals.setting import FILE, Setting, read_setting
from examples.hospitals.store import backup
from examples.hospitals.tokens import make_first, renew, retire
from examples.hospitals.world import COORDINATOR, encrypt, invented_beds, invented_patients, make_world
from private_experts.errors import InputError, told_in_one_line
from private_experts.privacy import SecureNoise

_USUAL = {"hospitals": 5, "weeks": 52, "mu": 1.0, "seconds": 2.0}
"""What a new deployment has when nothing else is asked for."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    given = _parser().parse_args(words)
    with told_in_one_line():
        try:
            return int(given.run(given) or 0)
        except KeyboardInterrupt:
            return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.hospitals", description=__doc__)
    commands = parser.add_subparsers(required=True)

    start = commands.add_parser("start", help="start the coordinator and the hospitals; Ctrl-C ends them")
    start.add_argument("--folder", type=Path, default=Path(".deployment"), help="made if it is not there")
    start.add_argument("--port", type=int, default=8017)
    start.add_argument("--hospitals", type=int, help="of a new folder: how many; 5")
    start.add_argument("--weeks", type=int, help="of a new folder: how many; 52")
    start.add_argument("--mu", type=float, help="of a new folder: the privacy level; 1.0")
    start.add_argument("--seconds", type=float, help="of a new folder: how long a week takes; 2.0")
    start.add_argument("--tls", action="store_true", help="of a new folder: encrypt, by an authority of its own")
    start.set_defaults(run=_start)

    check = commands.add_parser("check", help="show that it works: exit code 0 if all is well")
    check.add_argument("--kills", type=int, default=4, help="how often the coordinator is killed")
    check.set_defaults(run=_check)

    drill = commands.add_parser("drill", help="show what happens after a mistake: exit code 0 if nothing is lost")
    drill.add_argument("which", nargs="*", help="level or restore; both if none is named")
    drill.set_defaults(run=_drill)

    load = commands.add_parser("load", help="measure what secure noise costs, on this machine alone")
    load.add_argument("--reports", type=int, default=1000, help="with each kind of noise")
    load.add_argument("--clients", type=int, default=4)
    load.set_defaults(run=_load)

    coordinator = commands.add_parser("coordinator", help="one coordinator, as start runs it")
    coordinator.add_argument("folder", type=Path)
    coordinator.add_argument("--port", type=int, required=True)
    coordinator.add_argument("--host", default=LOOPBACK, help="the address to listen on; others need a certificate")
    coordinator.add_argument("--new", action="store_true", help="its database is meant to be empty")
    hospital = commands.add_parser("hospital", help="one hospital, as start runs it")
    hospital.add_argument("folder", type=Path)
    hospital.add_argument("--address", required=True)
    hospital.add_argument("--log", type=Path, help="of its draws, such as on another disk; drawn.log in its folder")
    backup = commands.add_parser("backup", help="copy the folder of a coordinator that runs to a new one")
    backup.add_argument("folder", type=Path)
    backup.add_argument("target", type=Path)
    backup.set_defaults(run=_backup)
    certificate = commands.add_parser("certificate", help="make or renew the certificate of a coordinator")
    certificate.add_argument("authority", type=Path, help="its folder, made if it is not there")
    certificate.add_argument("folder", type=Path, help="of the coordinator")
    certificate.add_argument("--host", action="append", required=True, help="by which hospitals reach it; repeatable")
    certificate.set_defaults(run=_certificate)
    tokens = commands.add_parser("tokens", help="make the first token of each hospital in the coordinator's setting")
    tokens.add_argument("folder", type=Path, help="of the coordinator")
    tokens.add_argument("target", type=Path, help="a new folder, with a folder for each hospital")
    tokens.set_defaults(run=_tokens)
    token = commands.add_parser("token", help="give a hospital another token")
    token.add_argument("folder", type=Path, help="of the coordinator")
    token.add_argument("hospital")
    doing = token.add_mutually_exclusive_group(required=True)
    doing.add_argument("--to", type=Path, help="a new file for the new token; the old one stays valid")
    doing.add_argument("--retire", action="store_true", help="from now on only the newest is valid")
    token.set_defaults(run=_token)
    for command in (coordinator, hospital):
        command.add_argument("--attached", action="store_true", help="end when standard input ends")
    coordinator.set_defaults(run=_coordinator)
    hospital.set_defaults(run=_hospital)
    return parser


def need_extras() -> None:
    """Refuse to go on without what the processes will need, before any of them is begun."""
    missing = [name for name in ("starlette", "uvicorn", "opendp") if find_spec(name) is None]
    if missing:
        raise InputError(f"{', '.join(missing)} missing: install them with pip install 'private-experts[examples]'")


def _start(given: argparse.Namespace) -> None:
    need_extras()
    check_port(given.port)
    asked = {name: getattr(given, name) for name in _USUAL}
    if (given.folder / COORDINATOR / FILE).exists():
        _same_as_begun(given.folder, asked)
        if given.tls and not (given.folder / COORDINATOR / CERTIFICATE).exists():
            raise InputError(f"--tls: {given.folder} was begun without; leave it out, or name a new --folder")
    else:
        _begin(given.folder, _USUAL | {name: value for name, value in asked.items() if value is not None})
        if given.tls:
            encrypt(given.folder)
    with Deployment(given.folder.resolve(), given.port) as deployment:
        print(f"The page: {deployment.address}/ - Ctrl-C ends all processes", flush=True)
        while True:
            try:
                deployment.look_after()
            except ChildProcessError as error:
                raise InputError(str(error)) from error
            time.sleep(0.1)


def _begin(folder: Path, facts: dict[str, Any]) -> None:
    """Make a new deployment."""
    if folder.exists():
        raise InputError(f"{folder}: is no deployment, or half of one; name a new folder with --folder")
    if not 2 <= facts["hospitals"] <= 50:
        raise InputError(f"--hospitals {facts['hospitals']}: write 2 to 50; each is a process of its own")
    beds, seconds = invented_beds(facts["hospitals"], seed=0), facts["seconds"]
    setting = Setting(beds, facts["mu"], facts["weeks"], 0, shortest=seconds, longest=3 * seconds)
    make_world(folder, setting, invented_patients(setting))
    print(f"{folder}: a new deployment with invented patients")


def _same_as_begun(folder: Path, asked: dict[str, Any]) -> None:
    """Refuse to go on with a deployment otherwise than it was begun."""
    setting = read_setting(folder / COORDINATOR)
    begun = {"hospitals": len(setting.beds), "weeks": setting.weeks, "mu": setting.mu, "seconds": setting.shortest}
    for name, value in asked.items():
        if value is not None and value != begun[name]:
            raise InputError(
                f"--{name} {value}: {folder} was begun with {begun[name]}; leave it out, or name a new --folder"
            )


def _check(given: argparse.Namespace) -> int:
    need_extras()
    from examples.hospitals.check import check

    return check(given.kills)


def _drill(given: argparse.Namespace) -> int:
    need_extras()
    from examples.hospitals.drills import drill

    return drill(given.which)


def _load(given: argparse.Namespace) -> None:
    need_extras()
    from examples.hospitals.load import measure

    print(measure(given.reports, given.clients))


def _backup(given: argparse.Namespace) -> None:
    week, reports = backup(given.folder, given.target)
    print(f"{given.target}: a backup of week {week} with {reports} reports")


def _certificate(given: argparse.Namespace) -> None:
    if not (given.authority / AUTHORITY).exists():
        make_authority(given.authority)
    make_certificate(given.authority, given.folder, given.host)
    print(f"{given.folder / CERTIFICATE}: for {', '.join(given.host)}; hospitals need {given.authority / AUTHORITY}")


def _tokens(given: argparse.Namespace) -> None:
    make_first(given.folder, given.target)
    print(f"{given.target}: a token for each hospital; bring each to its hospital, and remove them here")


def _token(given: argparse.Namespace) -> None:
    if given.retire:
        print(f"{given.hospital}: {retire(given.folder, given.hospital)} older tokens are valid no more")
    else:
        renew(given.folder, given.hospital, given.to)
        print(f"{given.to}: another token of {given.hospital}; put it in its folder as token, then --retire")


def _coordinator(given: argparse.Namespace) -> None:
    if given.attached:
        end_with_parent()
    serve(given.folder, given.port, given.host, given.new)


def _hospital(given: argparse.Namespace) -> None:
    if given.attached:
        end_with_parent()
    say = functools.partial(print, flush=True)  # a kill loses what is not written yet
    hospital = once_readable(given.folder, SecureNoise(), given.log, say)
    with Line(given.address, hospital.token, math.inf, given.folder / AUTHORITY) as line:
        line.renew = hospital.read_token
        hospital.take_part(line, say)


if __name__ == "__main__":
    sys.exit(main())
