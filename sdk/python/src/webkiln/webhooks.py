"""Webhooks: verifies that a request is from Webkiln, by Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Protocol, cast

from webkiln import types
from webkiln.errors import WebhookVerificationError

_TOLERANCE_SECONDS = 300.0


class Headers(Protocol):
    """The headers of a request as frameworks have them, or a `dict`."""

    def get(self, name: str, /) -> str | None: ...


def verify_webhook(
    body: bytes | str, headers: Headers, secret: str, *, tolerance: float = _TOLERANCE_SECONDS
) -> types.WebhookEvent:
    """Returns the event of a request to your address. Ignore types that you do not know; handle each `id` once.

    Args:
        body: The exact bytes of the body: parsed and printed again they would be others.
        headers: Those of the request.
        secret: What the webhook showed when it was created (`whsec_…`).
        tolerance: How many seconds the request may be old, or your clock behind.

    Raises:
        WebhookVerificationError: The request is not from Webkiln, was changed, or is too old. Answer 400.
    """
    event_id, timestamp, signatures = (_header(headers, name) for name in ("id", "timestamp", "signature"))
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("the request is too old, or your clock is wrong")
    content = body.encode() if isinstance(body, str) else body
    signed = b".".join([event_id.encode(), timestamp.encode(), content])
    expected = base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
    # Several while a secret is being changed.
    versions = [signature.partition(",") for signature in signatures.split(" ")]
    if not any(version == "v1" and hmac.compare_digest(value.encode(), expected) for version, _, value in versions):
        raise WebhookVerificationError("no signature is of this body by this secret")
    return cast(types.WebhookEvent, json.loads(content))


def _header(headers: Headers, name: str) -> str:
    value = headers.get(f"webhook-{name}") or headers.get(f"Webhook-{name.title()}")
    if not value:
        raise WebhookVerificationError(f"the header webhook-{name} is missing")
    return value


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("the secret of a webhook is whsec_ and base64") from error
