"""Sends requests, and sends them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2

from webkiln._requests import (
    RateLimit,
    Request,
    Settings,
    async_sleep,
    no_answer,
    rate_limit_of,
    request_of,
    status_error,
    wait_before_repeat,
)
from webkiln.errors import WebkilnError


class AsyncCalls:
    """The calls of one client."""

    def __init__(self, http: httpx2.AsyncClient, settings: Settings) -> None:
        self.http = http
        self.settings = settings
        self.rate_limit: RateLimit | None = None

    request = staticmethod(request_of)

    async def json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Returns the JSON of an answer."""
        request = request_of(
            method, path, query=query, body=body, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout
        )
        return (await self.send(request)).json()

    async def content(
        self, method: str, path: str, *, query: Mapping[str, object] | None = None, timeout: float | None = None
    ) -> bytes:
        """Returns the bytes of an answer."""
        return (await self.send(request_of(method, path, query=query, timeout=timeout))).content

    async def send(self, request: Request, *, stream: bool = False) -> httpx2.Response:
        """Returns the answer to a request once it is a success; with `stream` its body is still to be read.

        Raises `StatusError` or `ConnectionFailedError` if it is none after all repeats.
        """
        attempt = 0
        while True:
            failure: WebkilnError
            try:
                response = await self._attempt(request, stream)
            except httpx2.TransportError as error:
                failure = no_answer(error)
                failure.__cause__ = error
            else:
                self.rate_limit = rate_limit_of(response) or self.rate_limit
                if response.is_success:
                    return response
                failure = status_error(response)
            wait = wait_before_repeat(failure, attempt, self.settings.max_retries)
            if wait is None:
                raise failure
            await async_sleep(wait)
            attempt += 1

    async def _attempt(self, request: Request, stream: bool) -> httpx2.Response:
        built = self.http.build_request(
            request.method,
            f"{self.settings.base_url}{request.path}",
            params=request.query,
            headers={**self.settings.headers, **request.headers},
            content=request.content,
            timeout=self.settings.timeout if request.timeout is None else request.timeout,
        )
        response = await self.http.send(built, stream=stream, follow_redirects=False)
        if stream and not response.is_success:
            await response.aread()
        return response
