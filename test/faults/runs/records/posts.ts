import { randomUUID } from 'node:crypto';
import { agency } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import type { Findings } from '../outcome.ts';
import { listAll } from './compare-records.ts';
import type { Write } from './retrying-caller.ts';

const unlimited = 1_000_000;

/** A POST that creates a record with a unique name. `list` is the list that shows it. */
export interface CreateRequest extends Write {
  readonly list: string;
  readonly name: string;
}

/** An agency that creates records of every kind through all gateways in turn. */
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

  readonly gateways: readonly Api[];
  readonly #email: string;
  #index = 0;

  constructor(gateways: readonly Api[], email: string) {
    this.gateways = gateways;
    this.#email = email;
  }

  gateway(index: number): Api {
    return this.gateways[index % this.gateways.length] as Api;
  }

  /** The next request, with or without an Idempotency-Key. */
  next(keyed: boolean): CreateRequest {
    const name = randomUUID();
    const kinds = [
      { list: 'plans', body: { name, price: 1 } },
      { list: 'templates', body: { name } },
      { list: 'projects', body: { name, client_email: this.#email } },
      { list: 'clients', body: { name, email: `${name}@example.test` } },
    ] as const;
    const { list, body } = kinds[this.#index++ % kinds.length] as (typeof kinds)[number];
    return { method: 'POST', path: `/${list}`, body, headers: keyed ? { 'idempotency-key': randomUUID() } : {}, list, name };
  }

  /** Checks that each of these requests created exactly one record. */
  async checkOnce(made: readonly CreateRequest[], findings: Findings): Promise<void> {
    for (const list of new Set(made.map((post) => post.list))) {
      const names = (await listAll(this.gateway(0), list)).map(({ name }) => name);
      for (const post of made.filter((each) => each.list === list)) {
        const count = names.filter((name) => name === post.name).length;
        findings.check(count === 1, `${JSON.stringify(post.headers)} ${post.path} ${post.name} created ${count} records`);
      }
    }
  }
}
