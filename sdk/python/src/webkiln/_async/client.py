"""What programs begin with."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

import httpx2
from typing_extensions import Self

from webkiln import types
from webkiln._async.calls import AsyncCalls
from webkiln._async.resources import Resources
from webkiln._folder import File, draft_of, files_of
from webkiln._requests import RateLimit, async_in_thread, request_of, settings_of
from webkiln.errors import ConflictError

_UPLOAD_TIMEOUT_SECONDS = 600.0


class AsyncWebkiln(Resources):
    """A client of the REST API of Webkiln.

    A call without an answer, or with 408, 429 or 5xx, is repeated: `max_retries` times at most, after waits that grow,
    differ by chance, and are as long as the API asks for. A repeated POST has one effect.

    Args:
        api_key: A key of your organization (`wk_…`), or a token (`embt_…`, `wko_…`). Default: `WEBKILN_API_KEY`.
        base_url: The address of the platform, such as `https://webkiln.example`. Default: `WEBKILN_BASE_URL`.
        timeout: Seconds to wait for a connection, and for each part of an answer.
        max_retries: How often a call is repeated.
        http_client: A client of httpx2 with your proxies or certificates. It stays yours to close.

    Calls raise `StatusError` if the API refuses them, and `ConnectionFailedError` if no answer comes.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, max_retries)
        self._own_http = http_client is None
        self._calls = AsyncCalls(http_client or httpx2.AsyncClient(), settings)
        super().__init__(self._calls)

    @property
    def rate_limit(self) -> RateLimit | None:
        """What the latest answer said of the rate limit; None before the first."""
        return self._calls.rate_limit

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        timeout: float | None = None,
    ) -> httpx2.Response:
        """Returns the whole answer of any operation, with its headers, such as the `ETag` for `if_match`.

        `path` begins after `/api/v1`: `/projects`.
        """
        return await self._calls.send(
            request_of(
                method,
                path,
                query=query,
                body=body,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )

    async def upload(self, folder: str, *, project: str) -> types.Draft:
        """Makes a folder the draft of a project, and returns the draft. Only contents that the project lacks are sent.

        All files or none: an upload that breaks off changes nothing. `.git`, `.DS_Store` and `__MACOSX` are left out.
        Raises `ValueError` for a folder that holds links, or more than 2,000 files or 25 MB.
        """
        files = await async_in_thread(files_of, folder)
        there = {file["sha256"] async for file in self.projects.files.list(project)}
        try:
            return await self._write_draft(project, files, there)
        except ConflictError as error:
            # Somebody changed the draft meanwhile.
            if error.code != "contents_missing":
                raise
            return await self._write_draft(project, files, set())

    async def deploy(self, folder: str, *, project: str, message: str | None = None) -> types.PublishedSite:
        """Makes a folder the draft of a project like `upload`, and publishes it. Returns where the site is live.

        `message` says what is new, in at most 200 characters, for the history.
        """
        await self.upload(folder, project=project)
        return await self.projects.publish(project, message=message, timeout=_UPLOAD_TIMEOUT_SECONDS)

    async def _write_draft(self, project: str, files: list[File], there: set[str]) -> types.Draft:
        answer = await self.projects.files.write_draft(
            project, files=draft_of(files, there), timeout=_UPLOAD_TIMEOUT_SECONDS
        )
        return answer["draft"]

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._own_http:
            await self._calls.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
