import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { type Credential, credentialsOf } from './credentials.ts';
import { type Estate, inventory, makeEstate, pathOf } from './estate.ts';
import { type Operation, operations } from './operations.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';

const unknownId = '018f0000-0000-7000-8000-000000000000';
const unknown = (field: string) => (field.endsWith('email') ? 'nobody@example.test' : unknownId);
/** Of an answer's headers, those that may differ between two equal ones. */
const counting = /^(date|(x-)?ratelimit.*)$/;

/** Promise 5: every operation × every credential × our, their, unknown and malformed ids; and such ids in the fields that take one. */
export async function keepTenantsApart({ facts }: TestPlatform, { seed = chooseSeed() } = {}): Promise<Outcome> {
  const findings = new Findings();
  const [ours, theirs] = [await makeEstate(facts), await makeEstate(facts)];
  const before = await inventory(theirs.agency);
  const trial = new Trial(ours, theirs, findings);
  for (const credential of await credentialsOf(ours, theirs)) {
    for (const operation of operations) await trial.paths(operation, credential);
  }
  for (const operation of operations) await trial.fields(operation);
  findings.check(isDeepStrictEqual(await inventory(theirs.agency), before), 'records of the other organization were changed');
  return { seed, tries: trial.tries, figure: '0 leaks; foreign, unknown and malformed ids equal to the byte', failures: findings.failures };
}

interface Told {
  readonly status: number;
  /** Status, headers and body, without what counts and dates. */
  readonly bytes: string;
}

class Trial {
  tries = 0;
  readonly #ours: Estate;
  readonly #theirs: Estate;
  readonly #findings: Findings;

  constructor(ours: Estate, theirs: Estate, findings: Findings) {
    this.#ours = ours;
    this.#theirs = theirs;
    this.#findings = findings;
  }

  /** The operation on each kind of id; where it takes none, once. */
  async paths(operation: Operation, credential: Credential): Promise<void> {
    const { name, permission, peopleOnly, success, path } = operation;
    const may = !peopleOnly && credential.permissions.includes(permission);
    const refused = !credential.estate ? 401 : may ? undefined : 403;
    const isTheirs = credential.estate === this.#theirs;
    const own = credential.estate ?? this.#ours;
    // What they have stays as it was, so that a change by us would show.
    if (!isTheirs || operation.method === 'GET') {
      const params = operation.method === 'DELETE' && refused === undefined ? await doomed(operation, own) : own.params;
      const { status } = await this.#send(operation, credential, pathOf(path, params));
      this.#findings.check(status === (refused ?? success), `${credential.name} key, ${name} of its own: ${status}`);
    }
    if (!path.includes('{')) return;
    const foreign = isTheirs ? this.#ours.params : this.#theirs.params;
    const ids = [foreign, all(foreign, unknownId), all(foreign, 'nonsense'), all(foreign, `${unknownId}'`)];
    const told: Told[] = [];
    for (const params of ids) told.push(await this.#send(operation, credential, pathOf(path, params)));
    for (const { status, bytes } of told) {
      this.#findings.check(status === (refused ?? 404), `${credential.name} key, ${name} of others: ${status}`);
      this.#findings.check(bytes === told[0]?.bytes, `${credential.name} key, ${name}: ${bytes} differs from ${told[0]?.bytes}`);
    }
  }

  /** Their ids in the fields of our requests: as unknown as unknown ones. */
  async fields(operation: Operation): Promise<void> {
    const { api } = this.#ours.agency;
    const credential = { name: 'our', api, estate: this.#ours, permissions: [] };
    for (const [field, foreign] of Object.entries(this.#theirs.references)) {
      const inBody = operation.body?.properties?.[field] !== undefined;
      if (!inBody && !operation.query.includes(field)) continue;
      const path = pathOf(operation.path, this.#ours.params);
      const told: Told[] = [];
      for (const value of [foreign, unknown(field)]) {
        const target = inBody ? path : `${path}?${field}=${value}`;
        told.push(await this.#send(operation, credential, target, inBody ? { [field]: value } : {}));
      }
      const [first, second] = told;
      this.#findings.check(first?.bytes === second?.bytes, `${operation.name} with their ${field}: ${first?.bytes}, not ${second?.bytes}`);
      this.#findings.check(!inBody || (first?.status ?? 0) >= 400, `${operation.name} took their ${field}`);
    }
  }

  async #send(operation: Operation, { api, estate, name }: Credential, path: string, fields: object = {}): Promise<Told> {
    this.tries++;
    const body = operation.body && JSON.stringify({ ...minimal(operation, this.#ours), ...fields });
    const headers = { 'x-request-id': 'the-same', ...(body && { 'content-type': 'application/json' }) };
    const response = await api.raw(path, { method: operation.method, body, headers });
    const text = await response.text();
    const foreign = [this.#ours, this.#theirs].filter((each) => each !== estate);
    for (const { secret } of foreign) this.#findings.check(!text.includes(secret), `${name} key, ${operation.name} ${path} leaks ${text}`);
    const lasting = [...response.headers].filter(([header]) => !counting.test(header));
    return { status: response.status, bytes: JSON.stringify([response.status, lasting, text]) };
  }
}

const all = (params: Estate['params'], id: string) => ({
  ...Object.fromEntries(Object.keys(params).map((name) => [name, id])),
  path: 'index.html',
});

const someHook = { url: 'https://hooks.example.test/', events: ['form.submitted'] };

/** The least body that the operation takes. */
function minimal({ body }: Operation, { references }: Estate): object {
  const wanted = Object.keys(body?.properties ?? {}).filter((field) => field === 'name' || body?.required?.includes(field));
  const values: Readonly<Record<string, unknown>> = {
    ...references,
    ...someHook,
    name: 'Name',
    price: 1,
    email: `${randomUUID()}@example.test`,
    after: '2026-01-01T00:00:00Z',
  };
  return Object.fromEntries(wanted.map((field) => [field, values[field]]));
}

/** A record of its own for a deletion. */
async function doomed({ path }: Operation, { agency, params, references, submitForm }: Estate): Promise<Estate['params']> {
  if (path.endsWith('/{submissionId}')) return { ...params, submissionId: await submitForm() };
  const list = path.split('/')[1] ?? '';
  const kind = list.slice(0, -1);
  const named = { name: 'Doomed', ...(kind === 'project' && { client_email: references.client_email }) };
  const body = kind === 'webhook' ? someHook : named;
  return { ...params, [`${kind}Id`]: (await agency.api.post(`/${list}`, body)).expect(201).body[kind].id };
}
