import { randomUUID } from 'node:crypto';
import { agency } from '../../harness/agency.ts';
import { Api } from '../../harness/api.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { listAll } from './compare.ts';
import type { Findings } from './outcome.ts';
import type { Write } from './patient-caller.ts';

const unlimited = 1_000_000;

/** A POST that makes a record of a name of its own, shown in a list. */
export interface Making extends Write {
  readonly list: string;
  readonly name: string;
}

/** An agency that makes records of every kind through all gateways in turn. */
export class Posts {
  static async of({ facts }: TestPlatform): Promise<Posts> {
    const { api } = await agency(facts, { rateLimit: unlimited });
    const email = `${randomUUID()}@example.test`;
    const { client } = (await api.post('/clients', { email })).expect(201).body;
    (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
    return new Posts(
      facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key)),
      email,
    );
  }

  readonly doors: readonly Api[];
  readonly #email: string;
  #turn = 0;

  constructor(doors: readonly Api[], email: string) {
    this.doors = doors;
    this.#email = email;
  }

  door(turn: number): Api {
    return this.doors[turn % this.doors.length] as Api;
  }

  /** The next one, with an Idempotency-Key of its own or without. */
  next(keyed: boolean): Making {
    const name = randomUUID();
    const kinds = [
      { list: 'plans', body: { name, price: 1 } },
      { list: 'templates', body: { name } },
      { list: 'projects', body: { name, client_email: this.#email } },
      { list: 'clients', body: { name, email: `${name}@example.test` } },
    ] as const;
    const { list, body } = kinds[this.#turn++ % kinds.length] as (typeof kinds)[number];
    return { method: 'POST', path: `/${list}`, body, headers: keyed ? { 'idempotency-key': randomUUID() } : {}, list, name };
  }

  /** Each of these has made one record. */
  async checkOnce(made: readonly Making[], findings: Findings): Promise<void> {
    for (const list of new Set(made.map((post) => post.list))) {
      const names = (await listAll(this.door(0), list)).map(({ name }) => name);
      for (const post of made.filter((each) => each.list === list)) {
        const count = names.filter((name) => name === post.name).length;
        findings.check(count === 1, `${JSON.stringify(post.headers)} ${post.path} ${post.name} made ${count} records`);
      }
    }
  }
}
