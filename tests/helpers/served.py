"""A server in this process, and a client for it."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import uvicorn


class Answer(NamedTuple):
    """The response of a server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        assert self.status == 200, self.text
        return json.loads(self.body)


class Client:
    """A client that sends requests to a local port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def ask(
        self,
        path: str,
        body: bytes | None = None,
        content_type: str | None = None,
        method: str | None = None,
        **headers: str,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if content_type is not None:
            names["Content-Type"] = content_type
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, body, names)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def form(self, path: str, **fields: str) -> Answer:
        body = urllib.parse.urlencode(fields).encode()
        return self.ask(path, body, "application/x-www-form-urlencoded")

    def post(self, path: str, data: Any, **headers: str) -> Answer:
        return self.ask(path, json.dumps(data).encode(), "application/json", **headers)


@contextmanager
def serving(app: Any) -> Iterator[Client]:
    """Serve an application in a thread."""
    settings = uvicorn.Config(app, "127.0.0.1", 0, log_level="warning")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Client(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
