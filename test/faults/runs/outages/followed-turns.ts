import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Project } from '@webkiln/contract';
import { Api } from '../../../harness/api.ts';
import { sendChat } from '../../../harness/chat.ts';
import type { Person } from '../../../harness/person.ts';
import type { ReadyGateways } from './ready-gateways.ts';

const noGatewayMs = 50;

interface Heard {
  /** Each event with its id, as it was sent. */
  readonly events: readonly string[];
  /** The streams that it took. */
  readonly streams: number;
}

/**
 * Sends one message after the other, and follows each turn to its end: a stream that ends before `[DONE]` is continued
 * with `Last-Event-ID` at a gateway that is ready. What was heard must be what a repeat of the message shows.
 */
export class FollowedTurns {
  readonly failures: string[] = [];
  turns = 0;
  continued = 0;
  readonly #gateways: ReadyGateways;
  readonly #person: Person;
  readonly #following: Promise<unknown>;
  #finished = false;

  /** One turn at a time in each of the projects. */
  constructor(gateways: ReadyGateways, person: Person, projects: readonly Project[]) {
    this.#gateways = gateways;
    this.#person = person;
    this.#following = Promise.all(projects.map((project) => this.#followTurnsOf(project)));
  }

  /** Resolves when the turns that run have ended. */
  async finish(): Promise<void> {
    this.#finished = true;
    await this.#following;
  }

  async #followTurnsOf(project: Project): Promise<void> {
    while (!this.#finished) {
      try {
        await this.#followTurn(project);
      } catch (error) {
        const { message, cause } = error as Error;
        this.failures.push(`a turn: ${message} ${cause instanceof Error ? cause.message : ''}`);
        await pause(1000);
      }
    }
  }

  async #followTurn(project: Project): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    const send = async () => sendChat({ api: await this.#api(), project }, 'Build a page for my bakery.', headers);
    const { events, streams } = await this.#follow(project, await send());
    const repeated = await eventsOf(await send());
    this.turns++;
    this.continued += streams - 1;
    if (!isDeepStrictEqual(events, repeated))
      throw new Error(`heard ${events.length} events over ${streams} streams, of ${repeated.length}`);
    if (!events.at(-2)?.includes('"type":"finish"')) throw new Error(`did not finish: ${events.at(-2)}`);
  }

  async #follow(project: Project, first: Response): Promise<Heard> {
    const events: string[] = [];
    for (let [response, streams] = [first, 1]; ; streams++) {
      events.push(...(await eventsOf(response)));
      if (events.at(-1)?.endsWith('data: [DONE]')) return { events, streams };
      const id = /^id: (\d+)/.exec(events.at(-1) ?? '')?.[1];
      response = await (await this.#api()).raw(`/projects/${project.id}/chat/stream`, { headers: { 'last-event-id': id ?? '0' } });
    }
  }

  async #api(): Promise<Api> {
    for (;;) {
      const gateway = this.#gateways.next();
      if (gateway !== undefined) return new Api(`${gateway.origin}/api/v1`, undefined, this.#person.headers());
      await pause(noGatewayMs);
    }
  }
}

/** The events of a stream, up to where it ends. Throws if it is refused or reset. */
async function eventsOf(response: Response): Promise<string[]> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
}
