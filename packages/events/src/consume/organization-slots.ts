import { FairSlots, Postponed } from '@webkiln/runtime';

/** Messages that wait in memory, and their text: of one organization and in all. The others wait on the stream. */
const maxWaitingPerOrganization = 1_024;
const maxWaiting = 2_048;
const maxTextPerOrganization = 2 ** 20;
const maxText = 4 * maxTextPerOrganization;
const maxWaitMs = 60_000;
const minDelayMs = 250;
const maxDelayMs = 60_000;
const firstMeanMs = 20;
const meanWeight = 0.2;
/**
 * Messages fetched beyond the waiting ones, so that those of other organizations are always looked at. So many are
 * requested at a time: a request costs more than a message.
 */
const minRoom = 32;

interface Backlog {
  /** Messages that wait in memory, and their characters. */
  waiting: number;
  text: number;
  /** Messages that were sent back to the stream and have not returned. */
  sentBack: number;
  /** The moving average of how long a message takes. */
  meanMs: number;
}

class NoSlot extends Error {}

/**
 * Shares a consumer's handlers fairly between organizations. Messages of an organization beyond its share go back to
 * the stream at once, for about as long as those before them take; so those behind them are handled.
 */
export class OrganizationSlots {
  readonly #slots: FairSlots;
  readonly #perOrganization: number;
  readonly #concurrency: number;
  readonly #backlogs = new Map<string, Backlog>();
  #text = 0;

  constructor({ concurrency, perOrganization }: { concurrency: number; perOrganization: number }) {
    const waiting = { maxWaitingPerKey: maxWaitingPerOrganization, maxWaiting, maxWaitMs };
    this.#slots = new FairSlots({ slots: concurrency, maxPerKey: perOrganization, ...waiting, refusal: () => new NoSlot() });
    this.#perOrganization = perOrganization;
    this.#concurrency = concurrency;
  }

  readonly minRoom = minRoom;

  /** How many messages may be in memory at once. */
  get maxHeld(): number {
    return this.#concurrency + maxWaiting + minRoom;
  }

  /** Notes that a message of the organization is back from the stream. */
  noteReturn(org_id: string): void {
    const backlog = this.#backlogs.get(org_id);
    if (backlog !== undefined) backlog.sentBack = Math.max(0, backlog.sentBack - 1);
  }

  /**
   * Runs `work` on a message of `length` characters when the organization has a slot. Throws `Postponed` if too many of
   * its messages wait.
   */
  async run<T>(org_id: string, length: number, work: () => Promise<T>): Promise<T> {
    const backlog = this.#backlog(org_id);
    let held: 0 | 1 = 0;
    const hold = (next: 0 | 1) => {
      const change = next - held;
      backlog.waiting += change;
      backlog.text += change * length;
      this.#text += change * length;
      held = next;
    };
    try {
      if (backlog.waiting > 0 && backlog.text + length > Math.min(maxTextPerOrganization, maxText - this.#text)) throw new NoSlot();
      hold(1);
      return await this.#slots.run(org_id, () => {
        hold(0);
        return timed(backlog, work);
      });
    } catch (error) {
      if (!(error instanceof NoSlot)) throw error;
      throw new Postponed('other messages of the same organization come first', this.#delayMs(backlog));
    } finally {
      hold(0);
      if (this.#slots.keys === 0) this.#backlogs.clear();
    }
  }

  /** Sends back all messages that wait for a slot. */
  sendBackWaiting(): void {
    this.#slots.refuseWaiting();
  }

  /** Half of what those before it take at the present pace, which may have been that of a busier time. */
  #delayMs(backlog: Backlog): number {
    const before = backlog.waiting + backlog.sentBack++;
    return Math.min(maxDelayMs, Math.max(minDelayMs, (before * backlog.meanMs) / this.#perOrganization / 2));
  }

  #backlog(org_id: string): Backlog {
    const backlog = this.#backlogs.get(org_id) ?? { waiting: 0, text: 0, sentBack: 0, meanMs: firstMeanMs };
    this.#backlogs.set(org_id, backlog);
    return backlog;
  }
}

async function timed<T>(backlog: Backlog, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  try {
    return await work();
  } finally {
    backlog.meanMs += meanWeight * (performance.now() - since - backlog.meanMs);
  }
}
