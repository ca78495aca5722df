"""A Slurm of one machine, on loopback: Debian's packages, unpacked into a folder and not installed.

Nothing outside two folders is touched, and no right of root is needed. What was started is ended by its
process id. Jobs get one core each. There is no accounting database, so Snakemake has to ask `squeue` how jobs
are: `sacct` does not know.
"""

import ctypes
import getpass
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PACKAGES = (
    "slurmctld",
    "slurmd",
    "slurm-client",
    "slurm-wlm-basic-plugins",
    "munge",
    # What these need, and small machines lack.
    "libmunge2",
    "libhwloc15",
    "libjson-c5",
    "libdbus-1-3",
    "libnuma1",
    "libyaml-0-2",
)
CLIENTS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "sacct")
PATIENCE = 30.0  # seconds until a daemon answers, or has ended

SETTINGS = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny
MpiDefault=none
PluginDir={libraries}/slurm-wlm
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool/%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/%n.log
MailProg=/bin/true
# A container may have no control groups.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
TaskPluginParam=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Waits that suit a large machine are most of the time of a small one.
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000
ReturnToService=2
KillWait=2
PartitionName=main Nodes=ALL Default=YES MaxTime=60 DefMemPerCPU=100
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores} RealMemory={megabytes}\n"
)


class MissingError(Exception):
    """Debian's packages cannot be had here."""


def unpacked(folder: Path) -> Path:
    """Download Debian's packages once, and unpack them into a folder."""
    root, done = folder / "root", folder / "done"
    if done.exists():
        return root
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise MissingError("this is no Debian: apt-get and dpkg are not here")
    shutil.rmtree(folder, ignore_errors=True)
    archives = folder / "archives"
    archives.mkdir(parents=True)
    got = subprocess.run(
        ["apt-get", "download", *PACKAGES],
        cwd=archives,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if got.returncode:
        output = (got.stderr.strip().splitlines() or ["apt-get failed"])[-1]
        raise MissingError(
            f"Debian's packages of Slurm cannot be had here ({output}); apt-get update may help"
        )
    for archive in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(archive), str(root)], check=True, timeout=60)
    done.touch()
    return root


class Cluster:
    """Controller and nodes, as a context: they run inside it, and leave only unpacked packages behind."""

    def __init__(self, packages: Path, cores: int = 2, nodes: int = 1) -> None:
        self._root, self._cores = unpacked(packages.resolve()), cores
        self._nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self._libraries = next((self._root / "usr/lib").glob("*/slurm-wlm")).parent
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Cluster":
        """Start everything, and wait until the node takes jobs."""
        # A socket's path is short, so not below the project. Each of these folders is ours alone.
        self.home = Path(tempfile.mkdtemp(prefix="slurm-"))
        # Jobs are nobody's children; so they become ours when Slurm has ended, and can be ended by their id.
        ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        try:
            self._write()
            self._start(
                "munged",
                "--foreground",
                "--force",
                "--key-file",
                f"{self.home}/munge.key",
                "--socket",
                f"{self.home}/munge.socket",
                "--pid-file",
                f"{self.home}/munged.pid",
                "--log-file",
                f"{self.home}/munged.log",
                "--seed-file",
                f"{self.home}/munge.seed",
            )
            self._until((self.home / "munge.socket").exists, "munged")
            self._start("slurmctld-wlm", "-D", "-i")
            for node in self._nodes:
                self._start("slurmd-wlm", "-D", "-N", node, "-d", str(self._root / "usr/sbin/slurmstepd-wlm"))
            ready = [{"idle"}, {"mixed"}]
            self._until(lambda: {*self.ask("sinfo", "-h", "-N", "-o", "%T").split()} in ready, "the nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End all jobs and daemons, and remove the folder."""
        if len(self._daemons) > 1:
            self.ask("scancel", "--user", getpass.getuser())
            with suppress(TimeoutError):
                self._until(lambda: not self.ask("squeue", "-h").strip(), "the end of the jobs")
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for orphan in self._orphans():
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(orphan, 0)
        shutil.rmtree(self.home, ignore_errors=True)

    def variables(self, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the environment in which this cluster's commands are found."""
        return {**environment, "PATH": f"{self.home}/bin:{environment.get('PATH', os.defpath)}"}

    def ask(self, *words: str) -> str:
        """Return what one of Slurm's commands says, and nothing when it fails."""
        done = subprocess.run(
            [str(self.home / "bin" / words[0]), *words[1:]],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.stdout if done.returncode == 0 else ""

    def _write(self) -> None:
        """Write the key, the settings, and the commands with what they need around them."""
        for name in ("state", "spool", "bin"):
            (self.home / name).mkdir()
        key = self.home / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(stat.S_IRUSR | stat.S_IWUSR)
        megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20 // len(self._nodes)
        host, ports = socket.gethostname().partition(".")[0], _free_ports(1 + len(self._nodes))
        settings = SETTINGS.format(
            host=host, user=getpass.getuser(), home=self.home, libraries=self._libraries, ports=ports
        )
        for name, port in zip(self._nodes, ports[1:], strict=True):
            settings += NODE.format(name=name, host=host, port=port, cores=self._cores, megabytes=megabytes)
        (self.home / "slurm.conf").write_text(settings, encoding="utf-8")
        # SLURM_CONF does not reach what jobs start, so every command brings it along.
        for name in CLIENTS:
            command = self.home / "bin" / name
            words = f"export SLURM_CONF={self.home}/slurm.conf\nLD_LIBRARY_PATH={self._path()} exec"
            command.write_text(f'#!/bin/sh\n{words} {self._root}/usr/bin/{name} "$@"\n', encoding="utf-8")
            command.chmod(0o755)

    def _path(self) -> str:
        return f"{self._libraries}/slurm-wlm:{self._libraries}"

    def _start(self, name: str, *words: str) -> None:
        variables = {"SLURM_CONF": f"{self.home}/slurm.conf", "LD_LIBRARY_PATH": self._path()}
        with (self.home / f"{name}-{len(self._daemons)}.said").open("wb") as output:
            self._daemons.append(
                subprocess.Popen(
                    [str(self._root / "usr/sbin" / name), *words],
                    env=dict(os.environ) | variables,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            )

    def _until(self, happened: object, what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():  # type: ignore[operator]
            if dead := [daemon.args for daemon in self._daemons if daemon.poll() is not None]:
                raise RuntimeError(f"{dead[0]} ended too early:\n{self.output()}")
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: nothing within {PATIENCE:.0f} s\n{self.output()}")
            time.sleep(0.1)

    def output(self) -> str:
        """Return the last words of all daemons."""
        logs = [*self.home.glob("*.log"), *self.home.glob("*.said")]
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-2000:]}" for path in sorted(logs))

    def _orphans(self) -> list[int]:
        """Return the ids of processes that Slurm left to us, still running or waiting to be noted."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                name, _, rest = (path / "stat").read_text().partition("(")[2].rpartition(")")
                ours = name.startswith("slurmstepd") or str(self.home) in (path / "environ").read_text(
                    errors="replace"
                )
                if ours and int(rest.split()[1]) == os.getpid():
                    found.append(int(path.name))
        return found


def _free_ports(count: int) -> list[int]:
    """Return numbers of ports on loopback that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for socket_ in sockets:
            socket_.bind(("127.0.0.1", 0))
        return [socket_.getsockname()[1] for socket_ in sockets]
    finally:
        for socket_ in sockets:
            socket_.close()


if __name__ == "__main__":  # a cluster to try things on, until Ctrl-C; of two nodes with a core each: 2
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with Cluster(Path("build/slurm"), cores=2 // nodes or 1, nodes=nodes) as cluster:
        print(f"export PATH={cluster.home}/bin:$PATH", flush=True)
        with suppress(KeyboardInterrupt):
            sys.stdin.read()
