import { randomUUID } from 'node:crypto';
import type { Client, Project } from '@webkiln/contract';
import type { Api } from '../../../harness/api.ts';
import { RetryingCaller } from './retrying-caller.ts';

/** One story has two POSTs and three PATCHes. */
const writesPerStory = 5;
/** Bounds the backlog on a machine that is slower than the pace. */
const maxConcurrentStories = 60;

/** A client and its project, in their last acknowledged state. */
export interface Acknowledged {
  readonly client: Client;
  readonly project: Project;
}

/** Writes stories at a steady pace. Each step of a story is retried until it is acknowledged. */
export class Writers {
  readonly acknowledged: Acknowledged[] = [];
  readonly failures: string[] = [];
  readonly #caller: RetryingCaller;
  readonly #intervalMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(api: Api, writesPerSecond: number) {
    this.#caller = new RetryingCaller(api);
    this.#intervalMs = (1000 * writesPerStory) / writesPerSecond;
  }

  get writes(): number {
    return this.acknowledged.length * writesPerStory;
  }

  start(): void {
    this.#timer = setInterval(() => this.#running.size < maxConcurrentStories && this.begin(1), this.#intervalMs);
  }

  /** Starts stories in addition to the steady pace. */
  begin(stories: number): void {
    for (let story = 0; story < stories; story++) void this.story();
  }

  /** Stops the pace and resolves when every started story is acknowledged. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  /** Writes one story. Resolves with undefined after an unexpected answer, which is added to `failures`. */
  async story(): Promise<Acknowledged | undefined> {
    const written = this.#writeStory().catch((error: unknown) => void this.failures.push(String(error)));
    this.#running.add(written);
    const acknowledged = await written;
    this.#running.delete(written);
    if (acknowledged) this.acknowledged.push(acknowledged);
    return acknowledged ?? undefined;
  }

  async #writeStory(): Promise<Acknowledged> {
    const id = randomUUID();
    const email = `${id}@example.test`;
    const invited: Client = (await this.#caller.post('/clients', { email, name: `Client ${id}` })).expect(201).body.client;
    (await this.#caller.patch(`/clients/${invited.id}`, { status: 'active' })).expect(200);
    const made: Project = (await this.#caller.post('/projects', { client_email: email, name: `Site ${id}` })).expect(201).body.project;
    const change = { name: `Shop ${id}`, tags: ['renamed'] };
    const project: Project = (await this.#caller.patch(`/projects/${made.id}`, change)).expect(200).body.project;
    const client: Client = (await this.#caller.patch(`/clients/${invited.id}`, { company: `Company ${id}` })).expect(200).body.client;
    return { client, project };
  }
}
