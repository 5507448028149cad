import { type Client, type ClientUnaryCall, type StatusObject, status } from '@grpc/grpc-js';
import type { Attempt, AttemptObserver, CallRequest } from '../attempt.ts';
import type { CallResult } from '../call-result.ts';
import { headersIn, metadataOf } from '../metadata.ts';
import type { Credentials } from '../principal/credentials.ts';

const identity = (bytes: Uint8Array) => bytes as Buffer;
const empty = new Uint8Array();

interface UnaryAttempt extends Attempt {
  readonly request: CallRequest;
  readonly observer: AttemptObserver;
}

/**
 * Calls to one replica as plain unary gRPC: all of them with the transport `unary`, otherwise only those too large for
 * a frame.
 */
export class UnaryConnection {
  readonly #client: Client;
  readonly #credentials: Credentials;
  /** The gRPC call is undefined while the principal is being signed. */
  readonly #inFlight = new Map<UnaryAttempt, ClientUnaryCall | undefined>();
  #heldBytes = 0;

  constructor(client: Client, credentials: Credentials) {
    this.#client = client;
    this.#credentials = credentials;
  }

  /** Calls in flight. */
  get size(): number {
    return this.#inFlight.size;
  }

  /** Request bytes in flight. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  close(): void {
    for (const call of this.#inFlight.values()) call?.cancel();
  }

  send(request: CallRequest, observer: AttemptObserver): Attempt {
    const attempt: UnaryAttempt = { request, observer, cancel: () => this.#end(attempt)?.cancel() };
    this.#inFlight.set(attempt, undefined);
    this.#heldBytes += request.payload.length;
    const token = this.#credentials.token(request.principal);
    if (typeof token === 'string') this.#start(attempt, token);
    else token.then((signed) => this.#startUnlessClosed(attempt, signed));
    return attempt;
  }

  /** gRPC throws if the client was closed while the principal was signed. */
  #startUnlessClosed(attempt: UnaryAttempt, token: string): void {
    if (!this.#inFlight.has(attempt)) return;
    try {
      this.#start(attempt, token);
    } catch (error) {
      this.#end(attempt);
      attempt.observer.onLost(String(error), false);
    }
  }

  #start(attempt: UnaryAttempt, principal: string): void {
    const { method, headers, payload, deadlineAt } = attempt.request;
    const metadata = metadataOf({ ...headers, principal });
    let reply: Uint8Array = empty;
    const call = this.#client.makeUnaryRequest<Uint8Array, Buffer>(
      method.path,
      identity,
      identity,
      payload,
      metadata,
      { deadline: deadlineAt },
      (_error, bytes = Buffer.alloc(0)) => {
        reply = bytes;
      },
    );
    this.#inFlight.set(attempt, call);
    call.on('status', ({ code, details, metadata: trailers }: StatusObject) => {
      this.#end(attempt);
      report(attempt.observer, { status: code, details, metadata: headersIn(trailers), payload: reply });
    });
  }

  #end(attempt: UnaryAttempt): ClientUnaryCall | undefined {
    const call = this.#inFlight.get(attempt);
    if (this.#inFlight.delete(attempt)) this.#heldBytes -= attempt.request.payload.length;
    return call;
  }
}

/** A service that throws `unavailable` names an error code. Without one the replica itself is gone. */
function report(observer: AttemptObserver, result: CallResult): void {
  if (result.status === status.UNAVAILABLE && result.metadata['error-code'] === undefined) observer.onLost(result.details, true);
  else observer.onResult(result);
}
