import { status } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import type { MuxStream } from './mux-session.ts';

/** Bounds of streams whose callers have not proved who they are. */
export interface UnprovenLimits {
  readonly timeoutMs: number;
  readonly maxPerHost: number;
}

/** A caller signs as soon as it is greeted; all processes of one host may connect at once. */
export const defaultUnprovenLimits: UnprovenLimits = { timeoutMs: 10_000, maxPerHost: 64 };

/** Ends streams that do not prove themselves in time, and bounds how many one host holds open meanwhile. */
export class UnprovenStreams {
  readonly #limits: UnprovenLimits;
  readonly #perHost = new Map<string, number>();

  constructor(limits: UnprovenLimits) {
    this.#limits = limits;
  }

  /**
   * Watches a new stream. Returns what to call once its caller has proved who it is, which may be called repeatedly.
   * Undefined if the stream was refused, as `RESOURCE_EXHAUSTED`: too many of its host have proved nothing yet.
   */
  admit(stream: MuxStream): (() => void) | undefined {
    const host = stream.getPeer().replace(/:\d+$/, '');
    const open = this.#perHost.get(host) ?? 0;
    if (open >= this.#limits.maxPerHost) {
      stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'too many streams of this host have not proved themselves' });
      return undefined;
    }
    this.#perHost.set(host, open + 1);
    const timer = setTimeout(() => {
      logger.warn({ host }, 'stream closed: its caller did not prove itself in time');
      stream.emit('error', { code: status.UNAUTHENTICATED, details: 'the stream did not prove itself in time' });
    }, this.#limits.timeoutMs);
    let isSettled = false;
    const settle = () => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      this.#release(host);
    };
    stream.once('close', settle);
    return settle;
  }

  #release(host: string): void {
    const stillOpen = (this.#perHost.get(host) ?? 1) - 1;
    if (stillOpen === 0) this.#perHost.delete(host);
    else this.#perHost.set(host, stillOpen);
  }
}
