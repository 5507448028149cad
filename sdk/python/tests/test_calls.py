"""What every call promises."""

import asyncio
import socket
import time
from collections.abc import Iterator
from uuid import uuid4

import httpx2
import pytest
from conftest import Faults, key_of, lose_first

from webkiln import (
    AsyncWebkiln,
    InvalidRequestError,
    NotFoundError,
    PreconditionFailedError,
    RateLimitedError,
    RequestTimeoutError,
    Webkiln,
    WebkilnError,
    types,
)


def named(webkiln: Webkiln, name: str) -> list[types.Plan]:
    return [plan for plan in webkiln.plans.list() if plan["name"] == name]


def test_a_repeat_after_a_lost_answer_makes_one_record(webkiln: Webkiln) -> None:
    name, faults = str(uuid4()), Faults(lose_first)
    with httpx2.Client(transport=faults.transport()) as http:
        plan = Webkiln(http_client=http).plans.create(name=name, price=29)
    assert named(webkiln, name) == [plan]
    assert len(faults.sent) == 2
    assert key_of(faults.sent[0]) == key_of(faults.sent[1])


def test_a_repeat_after_a_lost_answer_makes_one_record_asynchronously(webkiln: Webkiln) -> None:
    name, faults = str(uuid4()), Faults(lose_first)

    async def create() -> types.Plan:
        async with httpx2.AsyncClient(transport=faults.async_transport()) as http:
            return await AsyncWebkiln(http_client=http).plans.create(name=name, price=29)

    assert [asyncio.run(create())] == named(webkiln, name)
    assert len(faults.sent) == 2


def test_a_repeat_by_the_caller_with_its_own_key_makes_one_record(webkiln: Webkiln) -> None:
    key = str(uuid4())
    first = webkiln.plans.create(name="Repeated", price=1, idempotency_key=key)
    assert webkiln.plans.create(name="Repeated", price=1, idempotency_key=key) == first


def test_a_list_follows_its_pages_and_has_each_record_once(webkiln: Webkiln) -> None:
    made = [webkiln.plans.create(name=f"Page {index}", price=index)["id"] for index in range(5)]
    everything = [plan["id"] for plan in webkiln.plans.list()]
    pages = list(webkiln.plans.list(limit=2).by_page())
    assert [plan["id"] for page in pages for plan in page] == everything
    assert max(map(len, pages)) == 2
    assert len(pages) == (len(everything) + 1) // 2

    async def listed() -> list[str]:
        async with AsyncWebkiln() as client:
            return [plan["id"] async for plan in client.plans.list(limit=2)]

    assert asyncio.run(listed()) == everything
    assert set(made) <= set(everything)


def test_a_page_at_another_address_does_not_get_the_key() -> None:
    asked: list[httpx2.URL] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url)
        link = {} if len(asked) > 1 else {"Link": '<https://elsewhere.example/steal?cursor=2>; rel="next"'}
        return httpx2.Response(200, json={"plans": [], "total": 0}, headers=link)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    assert list(Webkiln("wk_1", base_url="https://ours.example", http_client=http).plans.list()) == []
    assert [str(url) for url in asked] == [
        "https://ours.example/api/v1/plans",
        "https://ours.example/api/v1/plans?cursor=2",
    ]


def test_an_error_has_its_status_code_sentence_and_request_id(webkiln: Webkiln) -> None:
    with pytest.raises(NotFoundError) as missing:
        webkiln.plans.get(str(uuid4()))
    assert (missing.value.status, missing.value.code) == (404, "plan_not_found")
    assert missing.value.request_id
    with pytest.raises(InvalidRequestError) as invalid:
        webkiln.plans.create(name="", price=-1)
    assert invalid.value.code == "validation_failed"
    assert {detail["path"] for detail in invalid.value.details} == {"name", "price"}
    assert str(invalid.value) == invalid.value.message


def test_a_change_by_an_old_etag_is_refused(webkiln: Webkiln) -> None:
    plan = webkiln.plans.create(name="Care", price=29)
    etag = webkiln.request("GET", f"/plans/{plan['id']}").headers["ETag"]
    webkiln.plans.update(plan["id"], price=30, if_match=etag)
    with pytest.raises(PreconditionFailedError):
        webkiln.plans.update(plan["id"], price=31, if_match=etag)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Notes how long the client waits, in place of waiting."""
    waited: list[float] = []
    monkeypatch.setattr("webkiln._sync.calls.sleep", waited.append)
    return waited


def answering(*answers: httpx2.Response) -> Webkiln:
    remaining = iter(answers)
    http = httpx2.Client(transport=httpx2.MockTransport(lambda request: next(remaining)))
    return Webkiln("wk_1", base_url="https://ours.example", http_client=http)


def limited(seconds: int) -> httpx2.Response:
    return httpx2.Response(429, json={"code": "rate_limited", "error": "Slower"}, headers={"Retry-After": str(seconds)})


def test_a_refused_call_waits_as_long_as_the_api_asks_for(waits: list[float]) -> None:
    headers = {"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "42"}
    webkiln = answering(limited(11), httpx2.Response(503), httpx2.Response(200, json={}, headers=headers))
    webkiln.request("GET", "/plans")
    assert 11 < waits[0] < 12
    assert 0 < waits[1] <= 1
    assert webkiln.rate_limit
    assert (webkiln.rate_limit.limit, webkiln.rate_limit.remaining, webkiln.rate_limit.reset_seconds) == (100, 7, 42)


def test_a_limit_of_a_day_is_an_error_at_once(waits: list[float]) -> None:
    with pytest.raises(RateLimitedError) as refused:
        answering(limited(3600)).request("GET", "/plans")
    assert refused.value.retry_after == 3600
    assert waits == []


def test_a_call_is_repeated_as_often_as_the_client_says(waits: list[float]) -> None:
    with pytest.raises(WebkilnError):
        answering(*(httpx2.Response(503) for _ in range(4))).request("GET", "/plans")
    assert len(waits) == 3


@pytest.fixture
def silent_platform() -> Iterator[str]:
    """The address of a platform that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_call_ends_at_its_timeout_and_when_its_task_is_cancelled(silent_platform: str) -> None:
    begin = time.monotonic()
    with pytest.raises(RequestTimeoutError):
        Webkiln("wk_1", base_url=silent_platform, max_retries=0).plans.get("1", timeout=0.05)

    async def cancelled() -> None:
        async with AsyncWebkiln("wk_1", base_url=silent_platform) as client:
            await asyncio.wait_for(client.plans.get("1"), 0.05)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(cancelled())
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("project_id", ["", ".", ".."])
def test_an_argument_names_no_other_path(webkiln: Webkiln, project_id: str) -> None:
    with pytest.raises(ValueError, match="neither an id"):
        webkiln.projects.get(project_id)
    with pytest.raises(ValueError, match="neither an id"):
        webkiln.projects.files.get("1", f"a/{project_id}")


def test_without_a_key_or_an_address_the_error_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBKILN_API_KEY")
    with pytest.raises(WebkilnError, match="WEBKILN_API_KEY"):
        Webkiln()
    monkeypatch.delenv("WEBKILN_BASE_URL")
    with pytest.raises(WebkilnError, match="WEBKILN_BASE_URL"):
        Webkiln("wk_1")
