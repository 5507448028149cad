"""What calls raise. Decide by `StatusError.code`: messages are for people, and their wording may change."""

from __future__ import annotations

from webkiln import types


class WebkilnError(Exception):
    """Whatever this package raises because of the API."""


class ConnectionFailedError(WebkilnError):
    """No answer came. What was asked for may have happened: give POSTs an `idempotency_key` that you can repeat."""


class RequestTimeoutError(ConnectionFailedError):
    """The answer, or a part of it, did not come in time."""


class StatusError(WebkilnError):
    """The API refused a request.

    `status` is the HTTP status, `code` what to decide by; None if the answer is not from the API, as from a proxy.
    `message` says how to mend it, `details` which fields to correct. Quote `request_id` when you ask for help.
    `retry_after` is how many seconds to wait before a repeat, where the API says it.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: types.ErrorCode | None,
        details: list[types.ErrorDetail],
        request_id: str | None,
        retry_after: float | None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


class InvalidRequestError(StatusError):
    """400: `details` names the fields to correct."""


class AuthenticationError(StatusError):
    """401: the key or token is missing, wrong, revoked or expired."""


class NoCreditError(StatusError):
    """402: the credits of the builder are used up."""


class PermissionDeniedError(StatusError):
    """403: the key may not do this, or the organization has used up a quota."""


class NotFoundError(StatusError):
    """404: no such record in your organization; of a DELETE, maybe because the answer to its first attempt was lost."""


class ConflictError(StatusError):
    """409: the state of the record does not allow it."""


class PreconditionFailedError(StatusError):
    """412: the record was changed since the ETag of `if_match`, maybe by this call, whose first answer was lost."""


class IdempotencyKeyReusedError(StatusError):
    """422: this idempotency key was used with another request."""


class RateLimitedError(StatusError):
    """429: too many requests, even after the waits that the API asked for."""


class ServerError(StatusError):
    """500 and above: the platform failed, or a part of it is away. A repeat is safe."""


class WebhookVerificationError(WebkilnError):
    """A request to a webhook's address is not from Webkiln, or too old."""


by_status: dict[int, type[StatusError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: NoCreditError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: IdempotencyKeyReusedError,
    429: RateLimitedError,
}
