import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Verifier } from '../principal/verifier.ts';
import type { Dispatcher } from '../server/dispatch.ts';
import { MuxSession, type MuxStream } from './mux-session.ts';
import { type UnprovenLimits, UnprovenStreams } from './unproven-streams.ts';

/** Serves multiplexed streams: the gRPC service `webkiln.carrier.v1.Carrier`, beside the ordinary RPCs. */
export class MuxService {
  readonly handlers: UntypedServiceImplementation = { Carry: (stream: MuxStream) => this.#serve(stream) };
  readonly #sessions = new Map<MuxStream, MuxSession>();
  readonly #dispatcher: Dispatcher;
  readonly #verifier: Verifier;
  readonly #unproven: UnprovenStreams;
  /** Resolves `drain`. */
  #onDrained: (() => void) | undefined;

  constructor(dispatcher: Dispatcher, verifier: Verifier, unproven: UnprovenLimits) {
    this.#dispatcher = dispatcher;
    this.#verifier = verifier;
    this.#unproven = new UnprovenStreams(unproven);
  }

  /** Resolves when all calls are answered and all streams are closed. */
  async drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained = resolve;
    for (const session of this.#sessions.values()) session.drain();
    if (this.#sessions.size === 0) resolve();
    await promise;
  }

  #serve(stream: MuxStream): void {
    if (this.#onDrained !== undefined) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'this replica is shutting down' });
      return;
    }
    const onProven = this.#unproven.admit(stream);
    if (onProven === undefined) return;
    const session = new MuxSession(stream, { dispatcher: this.#dispatcher, verifier: this.#verifier, onProven });
    this.#sessions.set(stream, session);
    stream.on('close', () => {
      this.#sessions.delete(stream);
      if (this.#sessions.size === 0) this.#onDrained?.();
    });
    session.start();
  }
}
