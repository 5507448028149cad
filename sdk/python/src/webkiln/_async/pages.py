"""Lists that follow their pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from webkiln._async.calls import AsyncCalls
from webkiln._requests import Request, next_page

Item = TypeVar("Item")


class AsyncPages(Generic[Item]):
    """A list of any length. Iterate over it: each page is asked for when the one before has been read.

    What is added or deleted meanwhile neither repeats nor hides other records. Each iteration begins anew.
    """

    def __init__(self, request: Request, calls: AsyncCalls, key: str) -> None:
        self._request = request
        self._calls = calls
        self._key = key

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.by_page():
            for item in page:
                yield item

    async def by_page(self) -> AsyncIterator[list[Item]]:
        """Yields the records of each page; the argument `limit` of the list says how many a page has at most."""
        request: Request | None = self._request
        while request is not None:
            response = await self._calls.send(request)
            yield response.json()[self._key]
            request = next_page(request, response)
