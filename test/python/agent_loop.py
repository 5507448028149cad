"""An agent without a model, on the official Python client.

It knows no name of a tool, argument or field: it picks tools by their descriptions, fills in arguments by the names in
their schemas, learns from results, and does what errors say.

The first line on stdin has the url, the API key, the facts that its user told it, and how the client negotiates the
revision. Each further line has a purpose. The answer has the tool's structured content, or a refusal; then the next
line tells that people have done their part, and the agent goes on.
"""

import asyncio
import json
import re

import httpx2
from lines import Requests, write
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


class ModelFreeAgent:
    def __init__(self, requests, client, tools, facts):
        self.requests = requests
        self.client = client
        self.tools = tools
        self.facts = facts
        self.calls = 0
        self.characters = 0

    async def use(self, purpose):
        """Uses the tool whose description says that it is for the purpose."""
        fitting = [tool for tool in self.tools if re.search(purpose, tool.description or "")]
        if len(fitting) != 1:
            raise LookupError(f"{purpose} finds {len(fitting)} tools")
        result = await self.call(fitting[0])
        if not result.is_error:
            return result.structured_content
        advice = " ".join(part.text for part in result.content)
        named = [tool for tool in self.tools if tool.annotations.read_only_hint and tool.name in advice]
        if not named:
            raise LookupError(f"the error names no tool that helps: {advice}")
        write({"refused": advice})
        await self.requests.next()
        await self.call(named[0])
        return await self.use(purpose)

    async def call(self, tool):
        names = tool.input_schema.get("properties", {})
        unknown = [name for name in tool.input_schema.get("required", []) if name not in self.facts]
        if unknown:
            raise LookupError(f"{tool.name} needs {unknown}, which is not known")
        arguments = {name: self.facts[name] for name in names if name in self.facts}
        result = await self.client.call_tool(tool.name, arguments)
        self.calls += 1
        self.characters += len(json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True), ensure_ascii=False))
        self.learn(result.structured_content or {})
        return result

    def learn(self, structure):
        """`client: { email }` is a client_email; of a list, the only record, or the one that the user named."""
        for name, value in structure.items():
            if isinstance(value, list):
                name = name.removesuffix("s")
                value = next((each for each in value if len(value) == 1 or each["name"] == self.facts["wanted"]), None)
            if isinstance(value, dict):
                for field, known in value.items():
                    self.facts.setdefault(f"{name}_{field}", known)


async def main():
    requests = Requests()
    told = await requests.next()
    headers = {"authorization": f"Bearer {told['key']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(told["url"], http_client=http), mode=told["mode"]) as client:
            agent = ModelFreeAgent(requests, client, (await client.list_tools()).tools, told["facts"])
            write({"revision": client.protocol_version})
            while True:
                content = await agent.use((await requests.next())["purpose"])
                write({"content": content, "calls": agent.calls, "characters": agent.characters})


asyncio.run(main())
