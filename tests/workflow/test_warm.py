"""The processes that begin warm end when who asked for them is stopped, however early that was."""

import json
import os
import socket
from pathlib import Path

from private_experts.errors import PROGRAM
from tests.workflow.warm import Warm


def test_ctrl_c_that_comes_together_with_the_words_stops_the_command(warm: Warm, tmp_path: Path) -> None:
    asked = {"folder": str(tmp_path), "environment": {"PYTHONPATH": str(tmp_path)}, "words": [PROGRAM, "--help"]}
    log = tmp_path / "job.log"
    with socket.socket(socket.AF_UNIX) as line, log.open("wb") as said, Path(os.devnull).open() as none:
        line.settimeout(20)
        line.connect(warm.address)
        socket.send_fds(line, [b"?"], [none.fileno(), said.fileno(), said.fileno()])
        line.sendall(json.dumps(asked).encode() + b"\n!")
        said = b""
        while more := line.recv(8):
            said += more
        assert said == b"+130"
    assert "KeyboardInterrupt" in log.read_text()
