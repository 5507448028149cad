import { type Client, type ClientUnaryCall, type StatusObject, status } from '@grpc/grpc-js';
import type { Credentials } from './credentials.ts';
import type { Outcome } from './outcome.ts';
import type { Carrying, OutgoingCall } from './outgoing-call.ts';
import { headersIn, metadataOf } from './plain-metadata.ts';

const asIs = (bytes: Uint8Array) => bytes as Buffer;
const nothing = new Uint8Array();

/** Calls to one replica as plain unary gRPC: all of them where the carrier is off, else those too large for it. */
export class UnaryCalls implements Carrying {
  readonly #client: Client;
  readonly #credentials: Credentials;
  readonly #inFlight = new Map<OutgoingCall, ClientUnaryCall>();
  /** Request bytes in flight. */
  heldBytes = 0;

  constructor(client: Client, credentials: Credentials) {
    this.#client = client;
    this.#credentials = credentials;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  close(): void {
    for (const request of this.#inFlight.values()) request.cancel();
  }

  send(call: OutgoingCall): void {
    call.carrying = this;
    const signed = this.#credentials.token(call.principal);
    if (typeof signed === 'string') this.#sendAs(signed, call);
    else signed.then((principal) => call.over || this.#sendUnlessClosed(principal, call));
  }

  /** The connection may have been closed while the principal was signed: gRPC throws then. */
  #sendUnlessClosed(principal: string, call: OutgoingCall): void {
    try {
      this.#sendAs(principal, call);
    } catch (error) {
      call.sent = false;
      call.lost(String(error));
    }
  }

  #sendAs(principal: string, call: OutgoingCall): void {
    call.sent = true;
    let payload: Uint8Array = nothing;
    const request = this.#client.makeUnaryRequest<Uint8Array, Buffer>(
      call.route.method.path,
      asIs,
      asIs,
      call.payload,
      metadataOf({ ...call.headers, principal }),
      { deadline: call.deadlineAt },
      (_error, bytes = Buffer.alloc(0)) => {
        payload = bytes;
      },
    );
    this.#inFlight.set(call, request);
    this.heldBytes += call.size;
    request.on('status', ({ code, details, metadata }: StatusObject) => {
      finish(call, { status: code, details, metadata: headersIn(metadata), payload });
    });
  }

  ended(call: OutgoingCall): void {
    if (this.#inFlight.delete(call)) this.heldBytes -= call.size;
  }

  abandon(call: OutgoingCall): void {
    this.#inFlight.get(call)?.cancel();
  }
}

/** A service that is unavailable says so with an error's code; without one it is the replica that is gone. */
function finish(call: OutgoingCall, outcome: Outcome): void {
  if (outcome.status === status.UNAVAILABLE && outcome.metadata['error-code'] === undefined) call.lost(outcome.details);
  else call.end(outcome);
}
