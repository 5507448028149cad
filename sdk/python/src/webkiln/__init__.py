"""The Python client of Webkiln, the open platform on which agencies run their website business."""

from webkiln import types
from webkiln._async.client import AsyncWebkiln
from webkiln._async.pages import AsyncPages
from webkiln._async.stream import AsyncStream
from webkiln._requests import RateLimit
from webkiln._sync.client import Webkiln
from webkiln._sync.pages import Pages
from webkiln._sync.stream import Stream
from webkiln.errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    IdempotencyKeyReusedError,
    InvalidRequestError,
    NoCreditError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitedError,
    RequestTimeoutError,
    ServerError,
    StatusError,
    WebhookVerificationError,
    WebkilnError,
)
from webkiln.webhooks import verify_webhook

__all__ = [
    "AsyncPages",
    "AsyncStream",
    "AsyncWebkiln",
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "IdempotencyKeyReusedError",
    "InvalidRequestError",
    "NoCreditError",
    "NotFoundError",
    "Pages",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimit",
    "RateLimitedError",
    "RequestTimeoutError",
    "ServerError",
    "StatusError",
    "Stream",
    "WebhookVerificationError",
    "Webkiln",
    "WebkilnError",
    "types",
    "verify_webhook",
]
