"""A coordinator in this process: an ASGI client of a few lines, so that no port and no client library is needed."""

import asyncio
import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from examples.hospitals.coordinator import Coordinator
from examples.hospitals.server import application
from examples.hospitals.setting import Setting
from examples.hospitals.store import Store
from examples.hospitals.tokens import hashed, owner

End = Literal["whole", "breaks off", "hangs"]
TOKENS = {"H01": "token-of-the-first", "H02": "token-of-the-second", "H03": "token-of-the-third"}
HASHES = {name: [hashed(token)] for name, token in TOKENS.items()}
SETTING = Setting({"H01": 80, "H02": 120, "H03": 200}, mu=1.0, weeks=4, seed=0, shortest=1.0, longest=10.0)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        return self.told.get("error") or self.told["answer"]


class Desk:
    """A coordinator, its application, and a clock that stands still unless it is moved."""

    def __init__(self, path: Path, setting: Setting = SETTING) -> None:
        self.now, self.setting = 0.0, setting
        self.store = Store(path, setting.text(), new=True)
        self.coordinator = Coordinator(setting, self.store, lambda: self.now)
        self._loop = asyncio.Runner()
        self.app = application(self.coordinator, functools.partial(owner, hashes=HASHES))

    def ask(
        self, method: str, path: str, body: bytes | Iterable[bytes] = b"", end: End = "whole", **headers: str
    ) -> Answer:
        """Send a request as the server would pass it on, the body in one piece or several."""
        return self._loop.run(self._ask(method, path, [body] if isinstance(body, bytes) else list(body), end, headers))

    async def _ask(self, method: str, path: str, pieces: list[bytes], end: End, headers: dict[str, str]) -> Answer:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
        }  # fmt: skip
        waiting = [
            {"type": "http.request", "body": piece, "more_body": end != "whole" or place < len(pieces)}
            for place, piece in enumerate(pieces, start=1)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if end == "hangs" and not waiting:
                await asyncio.sleep(60)
            return waiting.pop(0) if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        try:
            await self.app(scope, receive, send)
        finally:
            start = sent[0]
            found = {name.decode(): value.decode() for name, value in start["headers"]}
            self.last = Answer(start["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))
        return self.last

    def close(self) -> None:
        self.store.close()
        self._loop.close()

    def report(self, hospital: str, body: Any) -> Answer:
        """Report for a hospital; what is not bytes is sent as JSON."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", "/reports", sent, Authorization=f"Bearer {TOKENS[hospital]}")


def good(week: int = 1, value: float = 0.25, hospital: str = "H01") -> dict[str, float]:
    """Return a report that is right for a hospital."""
    return {"week": week, "value": value, "scale": SETTING.scale(hospital)}
