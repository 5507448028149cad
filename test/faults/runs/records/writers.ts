import { randomUUID } from 'node:crypto';
import type { Client, Project } from '@webkiln/contract';
import type { Api } from '../../harness/api.ts';
import { PatientCaller } from './patient-caller.ts';

/** Writes of one story: two POSTs and three PATCHes. */
const writesPerStory = 5;
/** A machine that is slower than the pace must not drown in stories. */
const mostAtOnce = 60;

/** A client with a project, as they were last acknowledged. */
export interface Acknowledged {
  readonly client: Client;
  readonly project: Project;
}

/** Agencies' programs at work: each story is written step by step, each step until it is acknowledged. */
export class Writers {
  readonly acknowledged: Acknowledged[] = [];
  readonly failures: string[] = [];
  readonly #caller: PatientCaller;
  readonly #everyMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(api: Api, writesPerSecond: number) {
    this.#caller = new PatientCaller(api);
    this.#everyMs = (1000 * writesPerStory) / writesPerSecond;
  }

  get writes(): number {
    return this.acknowledged.length * writesPerStory;
  }

  start(): void {
    this.#timer = setInterval(() => this.#running.size < mostAtOnce && this.begin(1), this.#everyMs);
  }

  /** Begins stories besides those of the steady pace. */
  begin(stories: number): void {
    for (let story = 0; story < stories; story++) void this.story();
  }

  /** Begins no more and resolves when all that was begun is acknowledged. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  /** One story; undefined when it met an answer it should not. */
  async story(): Promise<Acknowledged | undefined> {
    const told = this.#tell().catch((error: unknown) => void this.failures.push(String(error)));
    this.#running.add(told);
    const acknowledged = await told;
    this.#running.delete(told);
    if (acknowledged) this.acknowledged.push(acknowledged);
    return acknowledged ?? undefined;
  }

  async #tell(): Promise<Acknowledged> {
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
