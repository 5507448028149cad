"""What both clients share: requests, what answers mean, and when a call is repeated."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlsplit

import httpx2

from webkiln.errors import ConnectionFailedError, RequestTimeoutError, ServerError, StatusError, WebkilnError, by_status

Result = TypeVar("Result")

_FIRST_WAIT_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 8.0
# Longer than any window of requests; a quota of a day is an error instead.
_MAX_WAIT_SECONDS = 90.0
_REPEATED_STATUSES = {408, 429, 500, 502, 503, 504}

async_sleep = asyncio.sleep
async_in_thread = asyncio.to_thread
sleep = time.sleep


def in_thread(function: Callable[[str], Result], argument: str) -> Result:
    """Stands for `async_in_thread` in the synchronous client, which may block."""
    return function(argument)


@dataclass(frozen=True)
class RateLimit:
    """What the latest answer said of the requests that a key may send."""

    limit: int
    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class Settings:
    """What all requests of a client have in common."""

    # With the path of the API.
    base_url: str
    headers: Mapping[str, str]
    timeout: float
    max_retries: int


@dataclass(frozen=True)
class Request:
    """A request as it is sent, and sent again."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes | None = None
    timeout: float | None = None


def request_of(
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
    idempotency_key: str | None = None,
    if_match: str | None = None,
    timeout: float | None = None,
) -> Request:
    """Returns a request. A POST has an idempotency key, made here, so that each repeat sends the same."""
    headers: dict[str, str] = {}
    if method == "POST":
        headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
    if if_match is not None:
        headers["If-Match"] = if_match
    if body is not None:
        headers["Content-Type"] = "application/json"
    return Request(
        method,
        path,
        query=tuple((name, _text(value)) for name, value in (query or {}).items() if value is not None),
        headers=headers,
        content=None if body is None else json.dumps(body).encode(),
        timeout=timeout,
    )


def segment(value: str, *, slashes: bool = False) -> str:
    """Returns a value as a part of a path. Raises `ValueError` for one that would name another path."""
    if {"", ".", ".."} & set(value.split("/") if slashes else [value]):
        raise ValueError(f"{value!r} is neither an id nor the path of a file")
    return quote(value, safe="/" if slashes else "")


def settings_of(api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> Settings:
    """Returns the settings of a client. Raises `WebkilnError` if neither code nor environment names key and address."""
    api_key = api_key or os.environ.get("WEBKILN_API_KEY")
    base_url = base_url or os.environ.get("WEBKILN_BASE_URL")
    if not api_key:
        raise WebkilnError("Give an api_key, or set WEBKILN_API_KEY. Keys are made in the dashboard.")
    if not base_url:
        raise WebkilnError("Give a base_url, or set WEBKILN_BASE_URL: the address of your platform's dashboard.")
    address = base_url.rstrip("/").removesuffix("/api/v1")
    headers = {"Authorization": f"Bearer {api_key}", "User-Agent": f"webkiln-python/{version('webkiln')}"}
    return Settings(f"{address}/api/v1", headers, timeout, max_retries)


def no_answer(error: httpx2.TransportError) -> ConnectionFailedError:
    """Returns what to raise if no answer came."""
    kind = RequestTimeoutError if isinstance(error, httpx2.TimeoutException) else ConnectionFailedError
    return kind(f"no answer from the platform: {str(error) or type(error).__name__}")


def status_error(response: httpx2.Response) -> StatusError:
    """Returns what to raise for an answer that is no success."""
    try:
        parsed: object = response.json()
    except ValueError:
        parsed = None
    body = cast(dict[str, Any], parsed) if isinstance(parsed, dict) else {}
    kind = by_status.get(response.status_code, ServerError if response.status_code >= 500 else StatusError)
    return kind(
        body.get("error")
        or f"{response.status_code} {response.reason_phrase}, and no answer of the API: is base_url right?",
        status=response.status_code,
        code=body.get("code"),
        details=body.get("details") or [],
        request_id=body.get("request_id") or response.headers.get("X-Request-Id"),
        retry_after=_seconds(response.headers.get("Retry-After") or response.headers.get("X-RateLimit-Reset")),
    )


def wait_before_repeat(failure: WebkilnError, attempt: int, max_retries: int) -> float | None:
    """Returns how many seconds to wait before a request is sent again; None if it is not. `attempt` counts from 0."""
    if attempt >= max_retries:
        return None
    wait = min(_MAX_BACKOFF_SECONDS, _FIRST_WAIT_SECONDS * 2**attempt) * random.uniform(0.5, 1)
    if isinstance(failure, StatusError):
        if failure.status not in _REPEATED_STATUSES and failure.code != "request_in_flight":
            return None
        if failure.status in {429, 503} and failure.retry_after is not None:
            # Callers that were refused together do not come back together.
            wait += failure.retry_after
    return wait if wait <= _MAX_WAIT_SECONDS else None


def rate_limit_of(response: httpx2.Response) -> RateLimit | None:
    """Returns what an answer says of the rate limit."""
    names = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    values = [response.headers.get(name, "") for name in names]
    if not all(value.isdecimal() for value in values):
        return None
    limit, remaining, reset = map(int, values)
    return RateLimit(limit, remaining, reset)


def next_page(request: Request, response: httpx2.Response) -> Request | None:
    """Returns the request of the next page. Only the query of the `Link` counts: a key goes to no other address."""
    url = response.links.get("next", {}).get("url")
    return None if url is None else replace(request, query=tuple(parse_qsl(urlsplit(url).query)))


def resumed(request: Request, last_event_id: str) -> Request:
    """Returns the request of the rest of a stream."""
    path = request.path if request.path.endswith("/stream") else f"{request.path}/stream"
    return Request(
        "GET", path, headers={"Last-Event-ID": last_event_id} if last_event_id else {}, timeout=request.timeout
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdecimal() else None
