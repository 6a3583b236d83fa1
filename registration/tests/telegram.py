"""A stand-in for Telegram's Bot API: an HTTP server on this machine that keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "12345:secret-of-the-bot"


@dataclass
class StandIn:
    """What people have written (`inbox`), what the bot has sent, and how it answers from now on."""

    address: str = ""
    inbox: list[dict[str, Any]] = field(default_factory=list)
    sent: list[tuple[int, str]] = field(default_factory=list)
    answers: list[tuple[int, Any]] = field(default_factory=list)  # (status, body) of the next calls; then all is well

    def write(self, chat: int, text: str, *, language: str = "uk") -> None:
        """Let a person write to the bot."""
        message = {"text": text, "chat": {"id": chat}, "from": {"id": chat, "language_code": language}}
        self.inbox.append({"update_id": 100 + len(self.inbox), "message": message})

    def reply(self, path: str, values: dict[str, Any]) -> tuple[int, Any]:
        if self.answers:
            return self.answers.pop(0)
        if not path.startswith(f"/bot{TOKEN}/"):
            return 401, {"ok": False, "description": "Unauthorized"}
        if path.endswith("/getUpdates"):
            return 200, {"ok": True, "result": [one for one in self.inbox if one["update_id"] >= values["offset"]]}
        self.sent.append((values["chat_id"], values["text"]))
        return 200, {"ok": True, "result": {"message_id": len(self.sent)}}


@contextmanager
def standing_in() -> Iterator[StandIn]:
    """Serve the stand-in on a free port."""
    found = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, answer = found.reply(self.path, json.loads(body))
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    found.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
