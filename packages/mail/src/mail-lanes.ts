import { Postponed } from '@webkiln/runtime';
import { NoAnswer } from './mail-server-error.ts';

const waitMs = 250;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;
/** Mails in flight in a lane whose last ones hung, once its pause is over. */
const maxProbes = 2;
/** A mail that has waited so long for pauses counts as failing, so that it ends as a dead letter some day. */
const maxWaitMs = 24 * 3600_000;
/** Beyond it, lanes that hung and are not in use are forgotten. */
const maxLanes = 10_000;

/** What a mail shares with others. */
export interface LaneOf {
  readonly name: string;
  readonly maxInFlight: number;
  /** Mails of so many senders in a row must hang before the lane is paused; infinite: it never is. */
  readonly pausedBy: number;
}

interface Lane {
  inFlight: number;
  /** How often mails hung since the last answer. */
  hangs: number;
  /** Whose they were. */
  readonly hungSenders: Set<string>;
  pausedUntil: number;
}

/**
 * Bounds the mails in flight per lane, so that those of one organization or to one recipient domain hold few
 * connections. A lane whose mails hang is paused. Lanes without mails or hangs are forgotten.
 */
export class MailLanes {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Sends a mail of `sender` that is in these lanes. Throws `Postponed` if one of them is full or paused, and
   * `NoAnswer` if pauses have kept the mail for a day.
   */
  async run(mail: { sender: string; lanes: readonly LaneOf[]; date: Date }, send: () => Promise<void>): Promise<void> {
    const lanes = mail.lanes.map((of) => ({ of, lane: this.#lane(of.name) }));
    try {
      for (const { of, lane } of lanes) assertRoom(of, lane, mail.date);
      for (const { lane } of lanes) lane.inFlight++;
      try {
        await send();
        for (const { lane } of lanes) noteAnswer(lane);
      } catch (error) {
        for (const { of, lane } of lanes) error instanceof NoAnswer ? noteHang(of, lane, mail.sender) : noteAnswer(lane);
        throw error;
      } finally {
        for (const { lane } of lanes) lane.inFlight--;
      }
    } finally {
      this.#forgetIdle(mail.lanes);
    }
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { inFlight: 0, hangs: 0, hungSenders: new Set(), pausedUntil: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #forgetIdle(lanes: readonly LaneOf[]): void {
    for (const { name } of lanes) {
      const lane = this.#lanes.get(name);
      if (lane !== undefined && lane.inFlight === 0 && lane.hangs === 0) this.#lanes.delete(name);
    }
    if (this.#lanes.size <= maxLanes) return;
    for (const [name, { inFlight }] of this.#lanes) if (inFlight === 0) this.#lanes.delete(name);
  }
}

function assertRoom({ maxInFlight, pausedBy }: LaneOf, lane: Lane, date: Date): void {
  const pausedMs = lane.pausedUntil - Date.now();
  if (pausedMs > 0 && Date.now() - date.getTime() > maxWaitMs) throw new NoAnswer('the mail server gave no answer for a day');
  if (pausedMs > 0) throw new Postponed('mails like this one get no answer', pausedMs);
  const max = lane.hungSenders.size >= pausedBy ? Math.min(maxProbes, maxInFlight) : maxInFlight;
  if (lane.inFlight >= max) throw new Postponed('other mails of the same organization, or to the same domain, come first', waitMs);
}

function noteAnswer(lane: Lane): void {
  lane.hangs = 0;
  lane.hungSenders.clear();
}

function noteHang({ pausedBy }: LaneOf, lane: Lane, sender: string): void {
  lane.hangs++;
  if (lane.hungSenders.size < pausedBy) lane.hungSenders.add(sender);
  if (lane.hungSenders.size < pausedBy) return;
  lane.pausedUntil = Date.now() + Math.min(firstPauseMs * 2 ** (lane.hangs - pausedBy), maxPauseMs);
}
