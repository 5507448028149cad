"""Calls tools on the official Python client.

Arguments: the address of the MCP server, and the key or token. A request on stdin has the name of a tool and its
arguments. The answer has the structured content of the result, or what the tool refused.
"""

import asyncio
import sys

import httpx2
from lines import Requests, write
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url, credential):
    requests = Requests()
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {credential}"}, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            while True:
                request = await requests.next()
                result = await client.call_tool(request["name"], request["arguments"])
                if result.is_error:
                    write({"error": " ".join(part.text for part in result.content)})
                else:
                    write({"content": result.structured_content})


asyncio.run(main(*sys.argv[1:]))
