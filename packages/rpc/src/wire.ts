/** What both ends of a call share: its headers, its result, its deadline, and how long it took. */
import { status } from '@grpc/grpc-js';
import { AppError, type ErrorCode, type ErrorDetail, errorCatalogue, kinds } from '@webkiln/contract';
import type { Caller, Idempotency, IncomingCaller, Principal } from '@webkiln/messages';
import { histogram } from '@webkiln/runtime';

/**
 * The headers of an outgoing call, under the same names on the stream and in the metadata of plain gRPC.
 * `Idempotency-Key`, `If-Match` and the delegation belong to one request; they are not forwarded with the calls that a
 * handler makes for its own caller.
 */
export function encodeHeaders(caller: Caller, traceparent: string | undefined): Headers {
  const headers: { [name: string]: string } = { 'request-id': caller.requestId };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (caller.network !== undefined) headers.network = caller.network;
  if (caller instanceof DecodedCaller) return headers;
  const { idempotency, ifMatch, delegation, wantsJson } = caller;
  if (wantsJson) headers.form = 'json';
  if (delegation !== undefined) headers.delegation = delegation;
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (idempotency !== undefined) {
    headers['idempotency-id'] = idempotency.id;
    headers['idempotency-body'] = idempotency.body;
    if (idempotency.meaning !== undefined) headers['idempotency-meaning'] = idempotency.meaning;
    if (idempotency.explicit) headers['idempotency-explicit'] = '1';
  }
  return headers;
}

function decodeIdempotency(headers: Headers): Idempotency | undefined {
  const { 'idempotency-id': id, 'idempotency-body': body = '', 'idempotency-meaning': meaning } = headers;
  return id === undefined ? undefined : { id, body, meaning, explicit: headers['idempotency-explicit'] === '1' };
}

/** The caller of an incoming call, read from its headers. */
export class DecodedCaller implements IncomingCaller {
  readonly principal: Principal;
  readonly requestId: string;
  readonly deadlineAt: number;
  readonly idempotency: Idempotency | undefined;
  readonly ifMatch: string | undefined;
  readonly delegation: string | undefined;
  readonly traceparent: string | undefined;
  readonly network: string | undefined;
  readonly #cancellation: Cancellation;

  constructor(principal: Principal, headers: Headers, cancellation: Cancellation) {
    this.principal = principal;
    this.requestId = headers['request-id'] ?? '';
    this.deadlineAt = cancellation.deadlineAt;
    this.idempotency = decodeIdempotency(headers);
    this.ifMatch = headers['if-match'];
    this.delegation = headers.delegation;
    this.traceparent = headers.traceparent;
    this.network = headers.network;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  onCancel(cancel: () => void): void {
    this.#cancellation.onCancel(cancel);
  }
}

export type Headers = { readonly [name: string]: string };

/** The result of a call as gRPC sends it: status, trailing metadata, encoded reply. */
export interface CallResult {
  /** google.rpc.Code */
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  /** The encoded reply; empty unless the status is OK. */
  readonly payload: Uint8Array;
}

/** `replayed` is true if an earlier attempt at the same request stored the reply. */
export interface DecodedReply {
  readonly reply: object;
  readonly replayed: boolean;
}

const nothing = new Uint8Array();
const plain: Headers = {};
const replayedHeaders: Headers = { replayed: '1' };

export const okResult = (payload: Uint8Array, replayed: boolean): CallResult => ({
  status: status.OK,
  details: '',
  metadata: replayed ? replayedHeaders : plain,
  payload,
});

/** A failure outside the use cases, without one of our error codes. `code` is a google.rpc.Code. */
export const failedResult = (code: number, details: string): CallResult => ({ status: code, details, metadata: plain, payload: nothing });

/** Keeps the error's code and details in the metadata, so that `resultToError` restores them. */
export function errorToResult(error: AppError): CallResult {
  const metadata: { [name: string]: string } = { 'error-code': error.code };
  if (error.replayed) metadata.replayed = '1';
  if (error.details.length > 0) metadata['error-details'] = JSON.stringify(error.details);
  return { status: kinds[error.kind].grpc, details: error.message, metadata, payload: nothing };
}

/**
 * A failure without one of our error codes becomes `unavailable`, `overloaded` or `internal`. The cause of a failure on
 * our side names the method that was called.
 */
export function resultToError({ status: code, details, metadata }: CallResult, method: string): AppError {
  const named = metadata['error-code'];
  if (named !== undefined && Object.hasOwn(errorCatalogue, named)) {
    const stated = JSON.parse(metadata['error-details'] ?? '[]') as ErrorDetail[];
    const cause = kinds[errorCatalogue[named as ErrorCode].kind].status < 500 ? undefined : new Error(`${method} answered ${named}`);
    return new AppError(named as ErrorCode, stated, { replayed: metadata.replayed === '1', cause });
  }
  return new AppError(unnamed(code), [], { cause: new Error(`${method}: gRPC status ${code} ${status[code] ?? ''}: ${details}`) });
}

/** Codes that say that this side asked wrongly. A service names each of its own failures, `internal` too. */
const callersFault = new Set<number>([status.UNIMPLEMENTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED, status.INVALID_ARGUMENT]);

/** Other errors are the transport's: gRPC reports a broken stream as UNAVAILABLE, CANCELLED, INTERNAL or UNKNOWN. */
function unnamed(code: number): ErrorCode {
  if (code === status.RESOURCE_EXHAUSTED) return 'overloaded';
  return callersFault.has(code) ? 'internal' : 'unavailable';
}

const sweepIntervalMs = 20;

/** Something with a deadline. */
export interface Expiring {
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  expire(): void;
}

const pending = new Set<Expiring>();
let sweeping: NodeJS.Timeout | undefined;

/**
 * Calls `expire` within 20 ms of the deadline. One shared timer checks all deadlines: a timer per call costs more than
 * the call.
 */
export function watchDeadline(item: Expiring): void {
  pending.add(item);
  sweeping ??= setInterval(sweep, sweepIntervalMs).unref();
}

export const forgetDeadline = (item: Expiring): boolean => pending.delete(item);

function sweep(): void {
  const now = Date.now();
  for (const item of pending) {
    if (item.deadlineAt > now) continue;
    pending.delete(item);
    item.expire();
  }
  if (pending.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
}

/** Cancels an incoming call at its deadline, or when the caller cancels it or disconnects. */
export class Cancellation implements Expiring {
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  #isCancelled = false;
  #controller: AbortController | undefined;
  #hooks: (() => void)[] | undefined;

  constructor(deadlineAt: number) {
    this.deadlineAt = deadlineAt;
    watchDeadline(this);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Created on first use, because most handlers never read it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  onCancel(hook: () => void): void {
    this.#hooks ??= [];
    if (this.#isCancelled) hook();
    else this.#hooks.push(hook);
  }

  /** Stops watching the deadline: the use case has ended. */
  dispose(): void {
    forgetDeadline(this);
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    forgetDeadline(this);
    this.#controller?.abort();
    for (const hook of this.#hooks ?? []) hook();
  }

  expire(): void {
    this.cancel();
  }
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const labelNames = ['method', 'outcome'] as const;

const durations = {
  client: histogram({
    name: 'rpc_client_duration_seconds',
    help: 'Calls made, by method and outcome',
    labelNames: [...labelNames],
    buckets,
  }),
  server: histogram({
    name: 'rpc_server_duration_seconds',
    help: 'Calls served, by method and outcome',
    labelNames: [...labelNames],
    buckets,
  }),
};

/** Records the durations of one method's calls, as client or as server. */
export class CallDurations {
  readonly #side: keyof typeof durations;
  readonly #method: string;
  readonly #children = new Map<string, { observe(seconds: number): void }>();

  constructor(side: keyof typeof durations, method: string) {
    this.#side = side;
    this.#method = method;
  }

  /** `outcome` is "ok" or an error's code; `startedAt` is a `performance.now()`. */
  observe(outcome: string, startedAt: number): void {
    const child = this.#children.get(outcome) ?? durations[this.#side].labels({ method: this.#method, outcome });
    this.#children.set(outcome, child);
    child.observe((performance.now() - startedAt) / 1000);
  }
}
