"""The operations of docs/openapi.json that a program can call, with the names that this package gives them."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
# Sessions are cookies of a browser: what only they may call is left out.
CREDENTIALS = {"apiKey", "oauth", "embedToken"}
# Its operations act on the one conversation of a project, which has no id in the path.
SINGLETONS = {"chat"}
# Names that the rule of `method_name` would make unclear.
NAMES = {"inviteMember": "create", "resendMemberInvitation": "resend"}


@dataclass(frozen=True)
class Operation:
    """One operation of the API."""

    id: str
    method: str
    path: str
    # Such as ("projects", "deploys"): `webkiln.projects.deploys`.
    resource: tuple[str, ...]
    name: str
    source: Json
    parameters: list[Json]
    # The component of its JSON body.
    body: str | None
    # The media type and the schema of what it answers.
    media_type: str
    answer: Json


class Document:
    """An OpenAPI document."""

    def __init__(self, source: Json) -> None:
        self.source = source
        self.schemas: Json = source["components"]["schemas"]
        entries = [
            (method, path, operation)
            for path, item in source["paths"].items()
            for method, operation in item.items()
            if method in METHODS and CREDENTIALS & {name for scheme in operation["security"] for name in scheme}
        ]
        lists = {path for _, path, operation in entries if self._is_list(operation)}
        # What a key or a token can call.
        self.operations = [self._operation(method, path, operation, lists) for method, path, operation in entries]

    def errors(self, operation: Operation) -> Iterator[tuple[str, list[str]]]:
        """Yields the statuses with the codes that are particular to an operation."""
        shared = {
            code for response in self.source["components"]["responses"].values() for code in self._codes(response)
        }
        for status, response in operation.source["responses"].items():
            if status[0] == "4" and "$ref" not in response:
                codes = [code for code in self._codes(response) if code not in shared]
                if codes:
                    yield status, codes

    def needed_schemas(self) -> Json:
        """Returns the components that operations and webhooks refer to, without the bodies of errors."""
        names = {operation.body for operation in self.operations if operation.body} | {
            "WebhookEvent",
            "ErrorCode",
            "ErrorDetail",
        }
        roots: list[Any] = [operation.answer for operation in self.operations] + [self.schemas[name] for name in names]
        while roots:
            found = set(_references(roots.pop())) - names
            names |= found
            roots.extend(self.schemas[name] for name in found)
        # Only what a type can say; the patterns of items would become types of their own.
        return {
            name: _without_bounds(schema)
            for name, schema in self.schemas.items()
            if name in names and name != "ChatStream"
        }

    def _codes(self, response: Json) -> list[str]:
        schema = next(iter(response["content"].values()))["schema"]
        variants = [variant["$ref"].rsplit("/", 1)[1] for variant in schema.get("oneOf", [schema])]
        return [self.schemas[variant]["properties"]["code"]["const"] for variant in variants]

    def _operation(self, method: str, path: str, source: Json, lists: set[str]) -> Operation:
        success = next(
            response for status, response in source["responses"].items() if status[0] == "2" and "content" in response
        )
        media_type, content = next(iter(success["content"].items()))
        answer = content["schema"]
        if media_type == "text/event-stream":
            answer = self.schemas[answer["$ref"].rsplit("/", 1)[1]]["x-itemSchema"]
        resource = _resource(path, lists)
        return Operation(
            id=source["operationId"],
            method=method.upper(),
            path=path,
            resource=resource,
            name=NAMES.get(source["operationId"]) or method_name(source["operationId"], resource),
            source=source,
            parameters=[self._parameter(parameter) for parameter in source.get("parameters", [])],
            body=_body(source),
            media_type=media_type,
            answer=answer,
        )

    def _parameter(self, parameter: Json) -> Json:
        name: str = parameter.get("$ref", "").rsplit("/", 1)[-1]
        found: Json = self.source["components"]["parameters"][name] if name else parameter
        return found

    @staticmethod
    def _is_list(operation: Json) -> bool:
        content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
        schema = str(content.get("schema", {}).get("$ref", ""))
        return operation["operationId"].startswith("list") and schema.endswith("List")


def snake(name: str) -> str:
    """Returns a name in Python's spelling: `clientId` becomes `client_id`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()
    return f"{words}_" if keyword.iskeyword(words) else words


def method_name(operation_id: str, resource: tuple[str, ...]) -> str:
    """Returns an operation's name without the words of its resource: `rollBackDeploy` of deploys is `roll_back`."""
    known = {
        form
        for part in resource
        for word in part.split("_")
        for form in (word, re.sub("ies$", "y", word), word.removesuffix("s"))
    }
    verb, *words = snake(operation_id).split("_")
    return "_".join([verb, *(word for word in words if word not in known)])


def _resource(path: str, lists: set[str]) -> tuple[str, ...]:
    segments = path.strip("/").split("/")
    names = []
    for index, segment in enumerate(segments):
        following = segments[index + 1] if index + 1 < len(segments) else ""
        is_list = "/" + "/".join(segments[: index + 1]) in lists
        if not segment.startswith("{") and (
            index == 0 or following.startswith("{") or is_list or segment in SINGLETONS
        ):
            names.append(snake(segment))
    return tuple(names)


def _body(source: Json) -> str | None:
    content = source.get("requestBody", {}).get("content", {}).get("application/json")
    return content["schema"]["$ref"].rsplit("/", 1)[1] if content else None


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str) and "/schemas/" in target:
            yield target.rsplit("/", 1)[1]
        for child in node.values():
            yield from _references(child)
    elif isinstance(node, list):
        for child in node:
            yield from _references(child)


BOUNDS = {
    "pattern",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "maxItems",
    "minItems",
    "propertyNames",
    "maxProperties",
    "override",
}


def _without_bounds(node: Any, is_schema: bool = True) -> Any:
    if isinstance(node, list):
        return [_without_bounds(child) for child in node]
    if not isinstance(node, dict):
        return node
    # The names of properties are no keywords: one may be called `format`.
    return {
        key: _without_bounds(child, key != "properties")
        for key, child in node.items()
        if not (is_schema and key in BOUNDS)
    }
