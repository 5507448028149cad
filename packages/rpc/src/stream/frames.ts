import type { Call } from '../../gen/webkiln/carrier/v1/Call.ts';
import type { Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Attempt, AttemptObserver, CallRequest, CallResult, Headers } from '../wire.ts';

/** Estimates of a frame's size without its payload. */
const callHeaderBytes = 512;
const replyHeaderBytes = 64;

/** A call in flight on a multiplexed stream. */
export class MuxCall implements Attempt, Sized {
  /** Unique on the stream while the call is in flight. */
  readonly id: number;
  readonly request: CallRequest;
  readonly observer: AttemptObserver;
  readonly #onCancel: (call: MuxCall) => void;
  #wasSent = false;
  #isCancelled = false;

  constructor(id: number, request: CallRequest, observer: AttemptObserver, onCancel: (call: MuxCall) => void) {
    this.id = id;
    this.request = request;
    this.observer = observer;
    this.#onCancel = onCancel;
  }

  get size(): number {
    return this.request.payload.length + callHeaderBytes;
  }

  /** The replica may have started to run the call. */
  get wasSent(): boolean {
    return this.#wasSent;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#onCancel(this);
  }

  /** The call as it goes on the wire; from then on it counts as sent. */
  toFrame(now: number): Call {
    this.#wasSent = true;
    const { method, deadlineAt, headers, payload } = this.request;
    const principal = this.request.principal as NonNullable<Call['principal']>;
    return { n: this.id, method: method.name, deadline_ms: Math.max(0, deadlineAt - now), metadata: headers, payload, principal };
  }
}

/** Tells the replica that the caller no longer waits for a call. */
export class CancelFrame implements Sized {
  readonly size = 8;
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}

/** One message of the stream; calls that were cancelled before they were sent are left out. */
export function toCalls(items: readonly (MuxCall | CancelFrame)[]): Calls {
  const now = Date.now();
  const calls: Call[] = [];
  const cancelled: number[] = [];
  for (const item of items) {
    if (item instanceof CancelFrame) cancelled.push(item.id);
    else if (!item.isCancelled) calls.push(item.toFrame(now));
  }
  return { calls, cancelled };
}

/** The result of a call as it goes on the wire. */
export class ReplyFrame implements Sized {
  readonly n: number;
  readonly status: number;
  readonly details: string;
  readonly metadata: Headers;
  readonly payload: Uint8Array;

  constructor(n: number, { status, details, metadata, payload }: CallResult) {
    this.n = n;
    this.status = status;
    this.details = details;
    this.metadata = metadata;
    this.payload = payload;
  }

  get size(): number {
    return this.payload.length + replyHeaderBytes;
  }
}

const batchBytes = 256 * 1024;

/** An item with a size in bytes. */
interface Sized {
  readonly size: number;
}

/** The writable side of a gRPC stream. After `write` has returned false, wait for 'drain'. */
interface Outlet<Message> {
  write(message: Message): boolean;
  on(event: 'drain', listener: () => void): unknown;
  end(): unknown;
}

/**
 * Writes all items of one event-loop tick as one message, because a message costs about as much as forty frames.
 * Items are held while the other side does not read; the owner must watch `heldBytes` and stop pushing.
 */
export class FrameBatcher<Item extends Sized, Message> {
  readonly #outlet: Outlet<Message>;
  readonly #pack: (items: readonly Item[]) => Message;
  #items: Item[] = [];
  #scheduled = false;
  #blocked = false;
  #ending = false;
  heldBytes = 0;

  constructor(outlet: Outlet<Message>, pack: (items: readonly Item[]) => Message) {
    this.#outlet = outlet;
    this.#pack = pack;
    outlet.on('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
  }

  /** Ignored after `end`. */
  push(item: Item): void {
    if (this.#ending) return;
    this.#items.push(item);
    this.heldBytes += item.size;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Writes what is left, then ends the stream. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#flush();
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    while (this.#items.length > 0 && !this.#blocked) this.#blocked = !this.#outlet.write(this.#pack(this.#nextBatch()));
    if (this.#ending && this.#items.length === 0) this.#outlet.end();
  };

  #nextBatch(): readonly Item[] {
    if (this.heldBytes <= batchBytes) {
      const all = this.#items;
      this.#items = [];
      this.heldBytes = 0;
      return all;
    }
    let bytes = 0;
    let count = 0;
    for (const { size } of this.#items) {
      if (count > 0 && bytes + size > batchBytes) break;
      bytes += size;
      count++;
    }
    this.heldBytes -= bytes;
    return this.#items.splice(0, count);
  }
}
