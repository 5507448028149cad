import type { TurnStream } from '@webkiln/events/streams';
import { FairSlots, logger, runPeriodically } from '@webkiln/runtime';
import type { Engine } from '../../engines/engine.ts';
import type { EngineOf } from '../../engines/engine-of.ts';
import { TurnFailure } from '../../engines/failures.ts';
import { endLostTurns } from '../end-lost-turns.ts';
import type { Turn } from '../turn.ts';
import { renewLease } from '../turn-store.ts';
import { TurnParts } from './turn-parts.ts';
import { TurnRun, type TurnWork } from './turn-run.ts';

const busy = 'Too many sites are being built at this moment. Your site is as it was: send the message again in a minute.';
const slots = { slots: 96, maxPerKey: 32, maxWaitingPerKey: 128, maxWaiting: 1_024, maxWaitMs: 60_000 };
/** Images of turns that run or wait; a turn with more is refused. */
const maxImageBytes = 256 * 1024 ** 2;
const watchMs = 1_000;
const sweepMs = 3_000;
/** A turn that a stopping process has begun may take this long to end by itself. */
const drainMs = 5_000;
const maxTurnMs = 10 * 60_000;

/** The turns that this process works on. Organizations share it fairly. */
export class TurnRunner {
  readonly #stream: TurnStream;
  readonly #engineOf: EngineOf;
  readonly #slots = new FairSlots({ ...slots, refusal: () => new TurnFailure(busy, 0) });
  readonly #running = new Map<string, { readonly ending: AbortController; readonly ended: Promise<void> }>();
  readonly #stopSweeping: () => void;
  #imageBytes = 0;

  constructor(stream: TurnStream, engineOf: EngineOf) {
    this.#stream = stream;
    this.#engineOf = engineOf;
    this.#stopSweeping = runPeriodically({ everyMs: sweepMs, name: 'ending turns of lost processes' }, () => endLostTurns(stream));
  }

  /** Works on the turn from now on. */
  begin(turn: Turn, work: TurnWork): void {
    const ending = new AbortController();
    const bytes = work.attachments.reduce((sum, { data }) => sum + data.byteLength, 0);
    this.#imageBytes += bytes;
    const ended = this.#run(turn, work, ending).finally(() => {
      this.#running.delete(turn._id);
      this.#imageBytes -= bytes;
    });
    this.#running.set(turn._id, { ending, ended });
  }

  async #run(turn: Turn, work: TurnWork, ending: AbortController): Promise<void> {
    const stopWatching = runPeriodically({ everyMs: watchMs, name: 'renewing the lease of a turn' }, async () => {
      const state = await renewLease(turn);
      if (state !== 'runs') ending.abort(state === 'stops' ? 'stopped' : 'lost');
    });
    const overdue = setTimeout(() => ending.abort('overdue'), maxTurnMs);
    const run = new TurnRun(turn, work, new TurnParts(this.#stream, turn._id), ending.signal);
    try {
      if (this.#imageBytes > maxImageBytes) return await run.run(failing(new TurnFailure(busy, 0)));
      await this.#slots.run(turn.org_id, () => run.run(this.#engineOf(work.model))).catch((error: unknown) => run.run(failing(error)));
    } finally {
      clearTimeout(overdue);
      stopWatching();
    }
  }

  /** Stops a turn of this process at once; does nothing for any other. */
  stop(turnId: string): void {
    this.#running.get(turnId)?.ending.abort('stopped');
  }

  /** Lets turns end, and interrupts those that do not within seconds. */
  async close(): Promise<void> {
    this.#stopSweeping();
    const all = () => [...this.#running.values()];
    const timer = setTimeout(() => {
      for (const { ending } of all()) ending.abort('closing');
      if (this.#running.size > 0) logger.warn({ turns: this.#running.size }, 'turns are interrupted: the process stops');
    }, drainMs);
    await Promise.all(all().map(({ ended }) => ended));
    clearTimeout(timer);
  }
}

/** Ends a turn that found no slot, as an engine that fails at once. */
const failing = (error: unknown): Engine => ({ run: () => Promise.reject(error) });
