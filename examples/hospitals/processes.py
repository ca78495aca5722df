"""All processes of a deployment: begin them, begin them again when they are killed, end them by their ids."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from examples.hospitals.certificates import CERTIFICATE
from examples.hospitals.sending import LOOPBACK
from examples.hospitals.world import COORDINATOR, HOSPITALS

ROOT = Path(__file__).parents[2]


def end_with_parent() -> None:
    """End this process when the one that began it is gone, however it ended: then standard input ends."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def free_port() -> int:
    """Return a port of the loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


class Deployment:
    """The coordinator and the hospitals of a folder, each as a process of its own.

    Leaving its ``with`` block ends them all. Should this process be killed, they end themselves. The coordinator
    listens on `port`, and the hospitals send to `told`, where somebody may listen between. `ended` are the hospitals
    that have ended in peace, `gave_up` those that refuse to go on, and `begun` the ids of all processes.
    """

    def __init__(self, folder: Path, port: int, told: int | None = None, hospitals: bool = True) -> None:
        self.folder, self.port = folder, port
        scheme = "https" if (folder / COORDINATOR / CERTIFICATE).exists() else "http"
        self.address = f"{scheme}://{LOOPBACK}:{port}"
        sent_to = f"{scheme}://{LOOPBACK}:{told or port}"
        self._commands = {COORDINATOR: ["coordinator", str(folder / COORDINATOR), "--port", str(port)]}
        for house in sorted((folder / HOSPITALS).iterdir()) if hospitals else ():
            self._commands[house.name] = ["hospital", str(house), "--address", sent_to]
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.ended: set[str] = set()
        self.gave_up: set[str] = set()
        self.begun: list[int] = []

    def __enter__(self) -> "Deployment":
        try:
            for name in self._commands:
                self._begin(name)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def _begin(self, name: str) -> None:
        before = self._running.get(name)
        if before and before.stdin:
            before.stdin.close()
        command = [sys.executable, "-m", "examples.hospitals", *self._commands[name], "--attached"]
        # In a session of its own, so that Ctrl-C reaches this process alone, which then ends them in order.
        self._running[name] = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, start_new_session=True)
        self.begun.append(self._running[name].pid)

    def kill(self, name: str) -> None:
        """Kill a process with SIGKILL, unless it has ended, and see it dead. `look_after` begins it again."""
        self._running[name].kill()
        self._running[name].wait()

    def look_after(self) -> None:
        """Begin again what was killed by a signal, note who has ended, and raise when the coordinator gave up."""
        for name, process in list(self._running.items()):
            code = process.poll()
            if code is None or name in self.ended | self.gave_up:
                continue
            if code >= 0 and name == COORDINATOR:
                raise ChildProcessError(f"{name} gave up with exit code {code}; the reason stands above")
            if code < 0:
                self._begin(name)
            elif code:
                self.gave_up.add(name)
                print(f"{name} gave up; the reason stands above, and the others go on", file=sys.stderr, flush=True)
            else:
                self.ended.add(name)

    def end(self) -> None:
        """End all processes, by their ids: with SIGTERM, and after three seconds with SIGKILL."""
        running = [process for process in self._running.values() if process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 3.0
        for process in running:
            try:
                process.wait(max(until - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for process in self._running.values():
            if process.stdin:
                process.stdin.close()
