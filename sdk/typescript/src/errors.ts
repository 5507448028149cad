import type { ErrorAnswer, ErrorCode, ErrorDetail } from '../gen/schemas.ts';

/** The base of every error that this package throws; an aborted call throws the reason of its signal. */
export class WebkilnError extends Error {
  override name = 'WebkilnError';
}

/** The platform answered with an error. `code` says which, `message` is a sentence for people. */
export class ApiError extends WebkilnError {
  override name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode | 'unknown';
  /** Names the request in the platform's logs. */
  readonly requestId: string | undefined;
  /** What is wrong with which field, and more of some codes. */
  readonly details: readonly ErrorDetail[];
  /** Seconds after which a repeat has a chance, if the platform said so. */
  readonly retryAfter: number | undefined;
  readonly headers: Headers;

  constructor(response: Response, body: Partial<ErrorAnswer>) {
    super(body.error ?? `The platform answered ${response.status}.`);
    this.status = response.status;
    this.code = body.code ?? 'unknown';
    this.requestId = body.request_id ?? response.headers.get('x-request-id') ?? undefined;
    this.details = body.details ?? [];
    const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
    this.retryAfter = Number.isNaN(seconds) ? undefined : seconds;
    this.headers = response.headers;
  }

  /** The error of a response that is none of 2xx. */
  static async of(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => undefined);
    return new ApiError(response, typeof body === 'object' && body !== null ? body : {});
  }
}

/** No whole answer came: the network, a name or a certificate failed. `cause` has the reason. */
export class ConnectionError extends WebkilnError {
  override name = 'ConnectionError';
}

/** No whole answer came in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** What was posted to a webhook's address is not from the platform, was changed, or is too old. */
export class WebhookVerificationError extends WebkilnError {
  override name = 'WebhookVerificationError';
}
