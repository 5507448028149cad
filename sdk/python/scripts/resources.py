"""Writes the resources of the asynchronous client: a class for each, a method with its docstring for each operation."""

import re
import textwrap
from collections import defaultdict
from collections.abc import Sequence

from document import Document, Json, Operation, snake

WIDTH = 120
QUERY_TYPES = {"integer": "int", "boolean": "bool", "string": "str"}
OPTIONS = {
    "idempotency_key": "A key of your own makes a repeat by your program safe, also after a restart.",
    "if_match": "The ETag that you read: 412 if the record was changed since.",
    "timeout": "Seconds to wait for each part of the answer, in place of the client's.",
}
HEAD = '''"""The resources of the API. Made from docs/openapi.json by scripts/generate.py."""

from __future__ import annotations

from typing_extensions import Unpack

from webkiln import types
from webkiln._async.calls import AsyncCalls
from webkiln._async.pages import AsyncPages
from webkiln._async.stream import AsyncStream
from webkiln._requests import segment
'''

Resource = tuple[str, ...]


def resources_module(document: Document) -> str:
    """Returns the source of the module."""
    by_resource: dict[Resource, list[Operation]] = defaultdict(list)
    for operation in document.operations:
        by_resource[operation.resource].append(operation)
        for depth in range(1, len(operation.resource)):
            by_resource.setdefault(operation.resource[:depth], [])
    classes = [
        _class(document, resource, operations, _children(resource, by_resource))
        for resource, operations in by_resource.items()
    ]
    children = _children((), by_resource)
    attributes = "\n".join(f"        self.{resource[-1]} = {_class_name(resource)}(calls)" for resource in children)
    root = (
        'class Resources:\n    """Everything that a client offers."""\n\n'
        f"    def __init__(self, calls: AsyncCalls) -> None:\n{attributes}\n"
    )
    return "\n\n".join([HEAD, *classes, root])


def _children(parent: Resource, resources: dict[Resource, list[Operation]]) -> list[Resource]:
    return [resource for resource in resources if resource[:-1] == parent]


def _class_name(resource: Resource) -> str:
    return "".join(word.title() for part in resource for word in part.split("_"))


def _class(document: Document, resource: Resource, operations: list[Operation], children: list[Resource]) -> str:
    called = f"webkiln.{'.'.join(resource)}"
    attributes = "".join(f"        self.{child[-1]} = {_class_name(child)}(calls)\n" for child in children)
    # Last, since its name hides the built-in `list` from what follows.
    methods = [
        _method(document, operation) for operation in sorted(operations, key=lambda operation: operation.name == "list")
    ]
    return (
        f'class {_class_name(resource)}:\n    """`{called}`."""\n\n'
        f"    def __init__(self, calls: AsyncCalls) -> None:\n        self._calls = calls\n{attributes}\n"
        + "\n".join(methods)
    )


def _method(document: Document, operation: Operation) -> str:
    path = [parameter for parameter in operation.parameters if parameter["in"] == "path"]
    query = [parameter for parameter in operation.parameters if parameter["in"] == "query"]
    headers = [snake(parameter["name"].lower()) for parameter in operation.parameters if parameter["in"] == "header"]
    options = [option for option in ("idempotency_key", "if_match") if option in headers]
    kind, returns, statements = _answer(document, operation)
    fields = document.schemas[operation.body]["properties"] if operation.body else {}
    signature = [
        "self",
        *(f"{snake(parameter['name'])}: str" for parameter in path),
        "*",
        *(f"{snake(parameter['name'])}: {_query_type(parameter)} | None = None" for parameter in query),
        *(f"{option}: str | None = None" for option in options),
        "timeout: float | None = None",
        *([f"**body: Unpack[types.{operation.body}]"] if fields else []),
    ]
    values = {
        parameter["name"]: f"segment({snake(parameter['name'])}{', slashes=True' * (parameter['name'] == 'path')})"
        for parameter in path
    }
    route = re.sub(r"\{(\w+)\}", lambda match: f"{{{values[match[1]]}}}", operation.path)
    arguments = [
        f'"{operation.method}"',
        f'{"f" if path else ""}"{route}"',
        *(["query={" + ", ".join(f'"{item["name"]}": {snake(item["name"])}' for item in query) + "}"] if query else []),
        *(["body=dict(body)"] if fields else ["body={}"] if operation.body else []),
        *(f"{option}={option}" for option in options),
        "timeout=timeout",
    ]
    lines = [f"    {kind} {operation.name}("]
    lines += [f"        {part}," for part in signature]
    lines += [f"    ) -> {returns}:", _docstring(document, operation, fields, options)]
    lines += [f"        {statement.replace('ARGUMENTS', ', '.join(arguments))}" for statement in statements]
    return "\n".join(lines) + "\n"


def _query_type(parameter: Json) -> str:
    schema = parameter["schema"]
    return f"types.{schema['$ref'].rsplit('/', 1)[1]}" if "$ref" in schema else QUERY_TYPES[schema["type"]]


def _answer(document: Document, operation: Operation) -> tuple[str, str, list[str]]:
    """Returns how the method begins, what it returns, and its statements; ARGUMENTS stands for those of the call."""
    component = operation.answer.get("$ref", "").rsplit("/", 1)[-1]
    if operation.media_type == "text/event-stream":
        return (
            "def",
            f"AsyncStream[types.{component}]",
            ["return AsyncStream(self._calls.request(ARGUMENTS), self._calls)"],
        )
    if operation.media_type != "application/json":
        return "async def", "bytes", ["return await self._calls.content(ARGUMENTS)"]
    properties = document.schemas[component]["properties"]
    if operation.name == "list":
        key, items = next((key, value["items"]) for key, value in properties.items() if value.get("type") == "array")
        item = f"types.{items['$ref'].rsplit('/', 1)[1]}"
        return (
            "def",
            f"AsyncPages[{item}]",
            [f'return AsyncPages(self._calls.request(ARGUMENTS), self._calls, "{key}")'],
        )
    call = f"answer: types.{component} = await self._calls.json(ARGUMENTS)"
    if component.endswith("Response"):
        # An envelope of one record.
        ((key, value),) = properties.items()
        return "async def", f"types.{value['$ref'].rsplit('/', 1)[1]}", [call, f'return answer["{key}"]']
    return "async def", f"types.{component}", [call, "return answer"]


def _docstring(document: Document, operation: Operation, fields: Json, options: Sequence[str]) -> str:
    sections = [_wrapped(f"{operation.source['summary']}.", 8)]
    if "description" in operation.source:
        sections.append(_wrapped(operation.source["description"], 8))
    described = {
        snake(parameter["name"]): parameter.get("description") or parameter["schema"].get("description", "")
        for parameter in operation.parameters
        if parameter["in"] != "header"
    }
    described |= {name: schema.get("description", "") for name, schema in fields.items()}
    described |= {option: OPTIONS[option] for option in [*options, "timeout"]}
    entries = [_entry(name, text) for name, text in described.items()]
    sections.append("        Args:\n" + "\n".join(entries))
    errors = [_entry(status, ", ".join(f"`{code}`" for code in codes)) for status, codes in document.errors(operation)]
    if errors:
        sections.append(
            "        Raises `StatusError` with one of these codes, or of those that every call may have:\n"
            + "\n".join(errors)
        )
    text = "\n\n".join(sections).strip().replace("\\", "\\\\").replace('"""', "'''")
    return f'        """{text}\n        """'


def _entry(name: str, text: str) -> str:
    return textwrap.fill(
        f"{name}: {' '.join(text.split())}",
        WIDTH,
        initial_indent=" " * 12,
        subsequent_indent=" " * 16,
        break_long_words=False,
    )


def _wrapped(text: str, indent: int) -> str:
    prefix = " " * indent
    return "\n\n".join(
        textwrap.fill(
            " ".join(part.split()), WIDTH, initial_indent=prefix, subsequent_indent=prefix, break_long_words=False
        )
        for part in text.split("\n\n")
    )
