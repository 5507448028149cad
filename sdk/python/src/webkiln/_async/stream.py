"""Answers that come in parts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Generic, TypeVar

import httpx2
from typing_extensions import Self

from webkiln._async.calls import AsyncCalls
from webkiln._requests import Request, resumed
from webkiln.errors import ConnectionFailedError

Part = TypeVar("Part")


class AsyncStream(Generic[Part]):
    """The parts of an answer, as they come. Iterate over it once; to leave early, use it as a context manager.

    A stream that breaks off is continued after its last part, so none is lost and none comes twice.
    """

    def __init__(self, request: Request, calls: AsyncCalls) -> None:
        self._calls = calls
        self._response: httpx2.Response | None = None
        self._parts = self._read(request)

    def __aiter__(self) -> AsyncIterator[Part]:
        return self._parts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stops reading. What the platform does goes on."""
        if self._response is not None:
            await self._response.aclose()

    async def _read(self, request: Request) -> AsyncIterator[Part]:
        last_event_id = ""
        breaks = 0
        while breaks <= self._calls.settings.max_retries:
            self._response = await self._calls.send(request, stream=True)
            if self._response.status_code == 204 and last_event_id:
                return  # The last part was the end.
            try:
                # Without a body if nothing runs, which is no stream of events.
                async for event in httpx2.EventSource(self._response):
                    if event.data == "[DONE]":
                        return
                    last_event_id, breaks = event.id, 0
                    yield json.loads(event.data)
            except httpx2.TransportError:
                pass
            finally:
                await self._response.aclose()
            breaks += 1
            request = resumed(request, last_event_id)
        raise ConnectionFailedError("the stream broke off, and could not be continued")
