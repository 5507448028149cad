"""Webhooks: verifies that a request is from Webkiln, by Standard Webhooks 1.0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, cast

import standardwebhooks

from webkiln import types
from webkiln.errors import WebhookVerificationError


class Headers(Protocol):
    """The headers of a request as frameworks have them, or a `dict`."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(body: bytes | str, headers: Headers, secret: str) -> types.WebhookEvent:
    """Returns the event of a request to your address. Ignore types that you do not know; handle each `id` once.

    Args:
        body: The exact bytes of the body: parsed and printed again they would be others.
        headers: Those of the request.
        secret: What the webhook showed when it was created (`whsec_…`).

    Raises:
        WebhookVerificationError: The request is not from Webkiln, was changed, or is more than five minutes old. Answer
            400.
    """
    webhook = standardwebhooks.Webhook(secret)
    try:
        return cast(types.WebhookEvent, webhook.verify(body, dict(headers.items())))
    except (standardwebhooks.WebhookVerificationError, ValueError) as error:
        # Signatures that are no base64, and bodies that are no text, are not from Webkiln either.
        raise WebhookVerificationError(f"not a webhook of Webkiln: {error}") from error
