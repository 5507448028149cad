import { batched, FairSlots, Postponed } from '@webkiln/runtime';

/** Messages that wait in memory, and their text: of one organization and in all. The others wait on the stream. */
const maxWaitingPerOrganization = 1_024;
const maxWaiting = 2_048;
const maxTextPerOrganization = 2 ** 20;
const maxText = 4 * maxTextPerOrganization;
const maxWaitMs = 60_000;
const startsApartMs = 100;
const firstDelayMs = 500;
const maxDelayMs = 15_000;
/**
 * Messages fetched beyond the waiting ones, so that those of other organizations are always looked at. So many are
 * requested at a time: a request costs more than a message.
 */
const minRoom = 32;

/** The messages of an organization that wait in memory. */
interface Waiting {
  messages: number;
  /** Characters of all of them. */
  text: number;
}

class NoSlot extends Error {}

/**
 * Shares a consumer's handlers fairly between organizations. Messages of an organization beyond its share go back to
 * the stream at once, the first time for half a second, then twice as long each time; so those behind them are handled.
 */
export class OrganizationSlots {
  readonly minRoom = minRoom;
  readonly #slots: FairSlots;
  readonly #concurrency: number;
  readonly #waiting = new Map<string, Waiting>();
  /** Handlers that get slots soon after others start together: they share what they read. */
  readonly #together = batched<undefined, void>(async (starts) => starts.map(() => undefined), { minApartMs: startsApartMs });
  #text = 0;

  constructor({ concurrency, perOrganization }: { concurrency: number; perOrganization: number }) {
    const waiting = { maxWaitingPerKey: maxWaitingPerOrganization, maxWaiting, maxWaitMs };
    this.#slots = new FairSlots({ slots: concurrency, maxPerKey: perOrganization, ...waiting, refusal: () => new NoSlot() });
    this.#concurrency = concurrency;
  }

  /** How many messages may be in memory at once. */
  get maxHeld(): number {
    return this.#concurrency + maxWaiting + minRoom;
  }

  /** Runs `work` when the message's organization has a slot. Throws `Postponed` if too many of its messages wait. */
  async run<T>({ org_id, length, deliveries }: HeldMessage, work: () => Promise<T>): Promise<T> {
    if (!this.#hasRoom(org_id, length)) throw postponed(deliveries);
    this.#count(org_id, 1, length);
    let waits = true;
    const leave = () => {
      if (waits) this.#count(org_id, -1, -length);
      waits = false;
    };
    try {
      return await this.#slots.run(org_id, async () => {
        leave();
        await this.#together(undefined);
        return work();
      });
    } catch (error) {
      throw error instanceof NoSlot ? postponed(deliveries) : error;
    } finally {
      leave();
    }
  }

  /** Sends back all messages that wait for a slot. */
  sendBackWaiting(): void {
    this.#slots.refuseWaiting();
  }

  /** One message of an organization may wait, however long it is. */
  #hasRoom(org_id: string, length: number): boolean {
    const waiting = this.#waiting.get(org_id);
    return waiting === undefined || waiting.text + length <= Math.min(maxTextPerOrganization, maxText - this.#text);
  }

  #count(org_id: string, messages: number, text: number): void {
    const before = this.#waiting.get(org_id) ?? { messages: 0, text: 0 };
    const after = { messages: before.messages + messages, text: before.text + text };
    if (after.messages > 0) this.#waiting.set(org_id, after);
    else this.#waiting.delete(org_id);
    this.#text += text;
  }
}

interface HeldMessage {
  readonly org_id: string;
  /** Its characters. */
  readonly length: number;
  /** How often it came from the stream. */
  readonly deliveries: number;
}

const postponed = (deliveries: number) =>
  new Postponed('other messages of the same organization come first', Math.min(firstDelayMs * 2 ** (deliveries - 1), maxDelayMs));
