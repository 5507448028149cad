import { Postponed } from '@webkiln/runtime';

const maxInLane = 2;
const waitPerMailMs = 250;
const maxWaitMs = 60_000;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;
/** Beyond it, lanes that hung and are not in use are forgotten. */
const maxLanes = 10_000;

interface Lane {
  inFlight: number;
  /** Mails that were sent away because the lane was full, and have not come back yet. */
  waiting: number;
  /** Mails in a row that the server gave no answer to. */
  hangs: number;
  pausedUntil: number;
}

/**
 * Bounds the mails in flight per lane, so that those of one organization or to one recipient domain hold few
 * connections. A lane whose mails hang is paused. Lanes without mails or pauses are forgotten.
 */
export class MailLanes {
  readonly #lanes = new Map<string, Lane>();

  /** Sends a mail that is in these lanes. Throws `Postponed` if one of them is full or paused. */
  async run(names: readonly string[], send: () => Promise<void>, isHang: (error: unknown) => boolean): Promise<void> {
    const lanes = names.map((name) => this.#lane(name));
    const waitMs = Math.max(...lanes.map(waitFor));
    if (waitMs > 0) throw new Postponed('other mails of the same organization, or to the same domain, come first', waitMs);
    for (const lane of lanes) {
      lane.inFlight++;
      lane.waiting = Math.max(0, lane.waiting - 1);
    }
    try {
      await send();
      for (const lane of lanes) lane.hangs = 0;
    } catch (error) {
      for (const lane of lanes) noteFailure(lane, isHang(error));
      throw error;
    } finally {
      for (const lane of lanes) lane.inFlight--;
      this.#forgetIdle(names);
    }
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { inFlight: 0, waiting: 0, hangs: 0, pausedUntil: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #forgetIdle(names: readonly string[]): void {
    for (const name of names) {
      const lane = this.#lanes.get(name);
      if (lane !== undefined && lane.inFlight === 0 && lane.hangs === 0) this.#lanes.delete(name);
    }
    if (this.#lanes.size <= maxLanes) return;
    for (const [name, { inFlight }] of this.#lanes) if (inFlight === 0) this.#lanes.delete(name);
  }
}

/** The more mails wait for a lane, the later each comes again. */
function waitFor(lane: Lane): number {
  const pausedMs = lane.pausedUntil - Date.now();
  if (pausedMs > 0) return pausedMs;
  if (lane.inFlight < maxInLane) return 0;
  lane.waiting++;
  return Math.min(waitPerMailMs * lane.waiting, maxWaitMs);
}

function noteFailure(lane: Lane, hung: boolean): void {
  lane.hangs = hung ? lane.hangs + 1 : 0;
  if (hung) lane.pausedUntil = Date.now() + Math.min(firstPauseMs * 2 ** (lane.hangs - 1), maxPauseMs);
}
