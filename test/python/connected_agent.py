"""A desktop agent on the official Python client, with OAuth.

Arguments: the address of the MCP server, and the file in which it keeps its registration and tokens. A request on stdin
has what to do. The answer has the result or an error; or the page that a person has to open first: then the result is
the line after it.
"""

import asyncio
import json
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
from lines import Requests, write
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

LONG_AGO = 1
CALLBACK_PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<title>Connected</title><h1>You can close this page</h1>"


class FileStorage(TokenStorage):
    def __init__(self, file):
        self.file = Path(file)
        self.kept = json.loads(self.file.read_text()) if self.file.exists() else {}

    async def get_tokens(self):
        return OAuthToken.model_validate(self.kept["tokens"]) if "tokens" in self.kept else None

    async def set_tokens(self, tokens):
        self.keep("tokens", tokens)

    async def get_client_info(self):
        return OAuthClientInformationFull.model_validate(self.kept["client"]) if "client" in self.kept else None

    async def set_client_info(self, client_info):
        self.keep("client", client_info)

    def keep(self, name, value):
        self.kept[name] = value.model_dump(mode="json", exclude_none=True)
        self.file.write_text(json.dumps(self.kept))


class Callbacks:
    """Takes the code at a port of this computer, as programs without a website do (RFC 8252)."""

    def __init__(self):
        self.arrived = asyncio.Queue()

    async def listen(self):
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"

    async def answer(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(CALLBACK_PAGE)
        await writer.drain()
        writer.close()
        query = {name: values[0] for name, values in parse_qs(urlsplit(head.split()[1].decode()).query).items()}
        if "code" in query:
            self.arrived.put_nowait(AuthorizationCodeResult.model_validate(query))

    async def wait(self):
        return await self.arrived.get()


async def main(url, file):
    requests, callbacks = Requests(), Callbacks()
    metadata = OAuthClientMetadata(client_name="Official agent", redirect_uris=[await callbacks.listen()])

    async def open_page(page):
        write({"page": page})

    provider = OAuthClientProvider(url, metadata, FileStorage(file), open_page, callbacks.wait)

    async def list_tools(client):
        return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]

    async def call(client):
        result = await client.call_tool("list_plans", {})
        return {"is_error": result.is_error}

    async def expire(_client):
        provider.context.token_expiry_time = LONG_AGO

    actions = {"list_tools": list_tools, "call": call, "expire": expire}
    async with httpx2.AsyncClient(auth=provider, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            while True:
                request = await requests.next()
                try:
                    write({"result": await actions[request["do"]](client)})
                except Exception as failure:
                    write({"error": repr(failure)})


asyncio.run(main(*sys.argv[1:]))
