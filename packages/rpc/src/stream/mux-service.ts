import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { CarriedCalls, type CarryStream } from './carried-calls.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Verifier } from './verifier.ts';

/** The Carrier service: beside the ordinary RPCs, for callers who make many calls. */
export class Carrier {
  readonly #streams = new Map<CarryStream, CarriedCalls>();
  readonly #dispatcher: Dispatcher;
  readonly #verifier: Verifier;
  #draining: (() => void) | undefined;
  readonly handlers: UntypedServiceImplementation = { Carry: (stream: CarryStream) => this.#carry(stream) };

  constructor(dispatcher: Dispatcher, verifier: Verifier) {
    this.#dispatcher = dispatcher;
    this.#verifier = verifier;
  }

  /** Resolves when no caller sends calls any more and all are answered. */
  async drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#draining = resolve;
    for (const calls of this.#streams.values()) calls.drain();
    if (this.#streams.size === 0) resolve();
    await promise;
  }

  #carry(stream: CarryStream): void {
    if (this.#draining !== undefined) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'this replica is about to stop' });
      return;
    }
    const calls = new CarriedCalls(stream, this.#dispatcher, this.#verifier);
    this.#streams.set(stream, calls);
    stream.on('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#draining?.();
    });
  }
}
