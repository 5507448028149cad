"""Runs against a platform: WEBKILN_BASE_URL and WEBKILN_API_KEY name it and a key of an organization of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from webkiln import Webkiln


@pytest.fixture
def webkiln() -> Iterator[Webkiln]:
    with Webkiln() as client:
        yield client


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, content in {"index.html": b"<h1>Bread</h1>", "img/a.bin": b"\x00\xff", ".git/config": b"secret"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


class Faults:
    """What happens to requests on their way, for both kinds of clients; and what was sent and answered."""

    def __init__(self, after: Callable[[httpx2.Request, int], None] = lambda request, number: None) -> None:
        self.sent: list[httpx2.Request] = []
        self._after = after

    def _arrived(self, request: httpx2.Request) -> None:
        self.sent.append(request)
        self._after(request, len(self.sent))

    def transport(self) -> httpx2.BaseTransport:
        """A transport that loses answers once the platform has given them."""
        faults = self

        class Transport(httpx2.HTTPTransport):
            def handle_request(self, request: httpx2.Request) -> httpx2.Response:
                response = super().handle_request(request)
                faults._arrived(request)
                return response

        return Transport()

    def async_transport(self) -> httpx2.AsyncBaseTransport:
        """The same for asynchronous clients."""
        faults = self

        class Transport(httpx2.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
                response = await super().handle_async_request(request)
                faults._arrived(request)
                return response

        return Transport()


def lose_first(request: httpx2.Request, number: int) -> None:
    """Loses the answer to the first request."""
    if number == 1:
        raise httpx2.ReadError("the connection was reset", request=request)


def key_of(request: httpx2.Request) -> Any:
    """The idempotency key of a request."""
    return request.headers["Idempotency-Key"]
