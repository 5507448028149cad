"""Deploys and streams."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
from conftest import Faults

from webkiln import AsyncWebkiln, Webkiln, types


@pytest.fixture
def project(webkiln: Webkiln) -> types.Project:
    email = f"{uuid4()}@example.test"
    webkiln.clients.update(webkiln.clients.create(email=email)["id"], status="active")
    return webkiln.projects.create(client_email=email, name="Bakery")["project"]


def contents_sent(request: httpx2.Request) -> list[str]:
    """The paths of the files that a request sends whole."""
    return [path for path, file in json.loads(request.content)["files"].items() if "content" in file]


def test_a_deploy_puts_a_folder_live_and_then_sends_only_what_changed(project: types.Project, site: Path) -> None:
    faults = Faults()
    with httpx2.Client(transport=faults.transport()) as http:
        webkiln = Webkiln(http_client=http)
        first = webkiln.deploy(str(site), project=project["id"], message="First")
        (site / "index.html").write_text("<h1>Cake</h1>")
        second = webkiln.deploy(str(site), project=project["id"])
        assert [file["path"] for file in webkiln.projects.files.list(project["id"])] == ["img/a.bin", "index.html"]
        assert webkiln.projects.files.get(project["id"], "img/a.bin") == b"\x00\xff"
    assert first["deployId"] != second["deployId"]
    assert second["project"]["published_url"]
    written = [request for request in faults.sent if request.method == "PUT"]
    assert [sorted(contents_sent(request)) for request in written] == [["img/a.bin", "index.html"], ["index.html"]]


def test_a_deploy_whose_known_contents_are_gone_sends_all_files(project: types.Project, site: Path) -> None:
    with Webkiln() as other:
        other.upload(str(site), project=project["id"])

        def replace_draft(request: httpx2.Request, number: int) -> None:
            if number == 1:
                other.projects.files.write_draft(project["id"], files={"index.html": "another"})

        faults = Faults(replace_draft)

        async def upload() -> types.Draft:
            async with httpx2.AsyncClient(transport=faults.async_transport()) as http:
                return await AsyncWebkiln(http_client=http).upload(str(site), project=project["id"])

        assert asyncio.run(upload())["files"] == 2
    assert [request.method for request in faults.sent] == ["GET", "PUT", "PUT"]


def test_a_folder_with_links_or_without_a_start_page_is_refused(webkiln: Webkiln, site: Path) -> None:
    (site / "linked").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="is a link"):
        webkiln.upload(str(site), project="1")
    with pytest.raises(ValueError, match=r"no index\.html"):
        webkiln.upload(str(site / "img"), project="1")


@pytest.fixture
def user() -> Iterator[Webkiln]:
    with Webkiln(api_key=os.environ["EMBED_TOKEN"]) as client:
        yield client


def words(parts: list[types.ChatStreamPart]) -> str:
    return "".join(part["delta"] for part in parts if part["type"] == "text-delta")


class Broken(httpx2.SyncByteStream):
    """An answer that breaks off in the middle of its third event."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        seen = b""
        for chunk in self._stream:
            seen += chunk
            if seen.count(b"\n\n") > 2:
                yield b"\n\n".join(seen.split(b"\n\n")[:3])[len(seen) - len(chunk) :][:-1]
                raise httpx2.ReadError("the connection was reset")
            yield chunk

    def close(self) -> None:
        self._stream.close()


class BreakingTransport(httpx2.HTTPTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if request.method == "POST":
            assert isinstance(response.stream, httpx2.SyncByteStream)
            response.stream = Broken(response.stream)
        return response


def test_a_stream_that_breaks_off_is_continued_without_loss_or_repeat(user: Webkiln) -> None:
    project_id = os.environ["PROJECT_ID"]
    with httpx2.Client(transport=BreakingTransport()) as http:
        breaking = Webkiln(api_key=os.environ["EMBED_TOKEN"], http_client=http)
        parts = list(breaking.projects.chat.send_message(project_id, message="a bakery site in Lyon"))
    types_of_parts = [part["type"] for part in parts]
    assert [types_of_parts[0], types_of_parts[-1]] == ["start", "finish"]
    assert types_of_parts.count("start") == 1
    said = user.projects.chat.list_messages(project_id)["messages"][-1]
    assert words(parts)
    assert json.dumps(words(parts))[1:-1] in json.dumps(said)


def test_a_stream_is_read_asynchronously_and_left_early(user: Webkiln) -> None:
    async def first_part() -> types.ChatStreamPart:
        async with (
            AsyncWebkiln(api_key=os.environ["EMBED_TOKEN"]) as client,
            client.projects.chat.send_message(os.environ["PROJECT_ID"], message="make the title red") as parts,
        ):
            return await parts.__aiter__().__anext__()

    assert asyncio.run(first_part())["type"] == "start"
    # The turn goes on; the rest of it can be had.
    assert list(user.projects.chat.resume(os.environ["PROJECT_ID"]))[-1]["type"] == "finish"
