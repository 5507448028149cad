import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatApiKey } from '@webkiln/contract';
import { eventually } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { type Operation, operations } from '../records/operations.ts';
import { inventory, pathOf, type SeedFixtures, seedFixtures } from '../records/seed-fixtures.ts';
import { minimalBody, paramsToDelete, withEveryId } from './request-parts.ts';

const expiresInMs = 5000;

/** A credential and what it grants. */
interface Credential {
  readonly name: string;
  readonly api: Api;
  /** The records it may reach; undefined for an invalid credential. */
  readonly fixtures?: SeedFixtures;
  readonly permissions: readonly string[];
}

/** Every kind of credential. The revoked and expired keys were valid and in use before. */
async function credentialsOf(ours: SeedFixtures, theirs: SeedFixtures): Promise<readonly Credential[]> {
  const { api, readOnly, writeOnly, makeKey, revokeKey } = ours.agency;
  const [revoked, expired] = [await makeKey(['read', 'write']), await makeKey(['read', 'write'], { expiresInMs })];
  (await revoked.api.get('/plans')).expect(200);
  await revokeKey(revoked.keyId);
  for (const past of [revoked, expired]) await eventually(async () => (await past.api.get('/plans')).expect(401));
  const invalid = (name: string, key: string | undefined): Credential => ({ name, api: new Api(api.baseUrl, key), permissions: [] });
  return [
    invalid('none', undefined),
    invalid('garbage', 'garbage'),
    invalid('misspelt', `${api.key?.slice(0, -1)}${api.key?.endsWith('0') ? '1' : '0'}`),
    invalid('never issued', formatApiKey(randomBytes(32))),
    invalid('revoked', revoked.api.key),
    invalid('expired', expired.api.key),
    { name: 'read-only', api: readOnly, fixtures: ours, permissions: ['read'] },
    { name: 'write-only', api: writeOnly, fixtures: ours, permissions: ['write'] },
    { name: 'read and write', api, fixtures: ours, permissions: ['read', 'write'] },
    { name: 'other organization', api: theirs.agency.api, fixtures: theirs, permissions: ['read', 'write'] },
  ];
}

const unknownId = '018f0000-0000-7000-8000-000000000000';
const unknown = (field: string) => (field.endsWith('email') ? 'nobody@example.test' : unknownId);
/** Response headers that may differ between two equal answers. */
const volatileHeader = /^(date|(x-)?ratelimit.*)$/;

/**
 * Tries every operation with every credential and with own, foreign, unknown and malformed ids, in paths and in fields.
 */
export async function keepTenantsApart({ facts }: TestPlatform, { seed = chooseSeed() } = {}): Promise<Outcome> {
  const findings = new Findings();
  const [ours, theirs] = [await seedFixtures(facts), await seedFixtures(facts)];
  const before = await inventory(theirs.agency);
  const trial = new Trial(ours, theirs, findings);
  for (const credential of await credentialsOf(ours, theirs)) {
    for (const operation of operations) await trial.paths(operation, credential);
  }
  for (const operation of operations) await trial.fields(operation);
  findings.check(isDeepStrictEqual(await inventory(theirs.agency), before), 'records of the other organization have changed');
  return {
    seed,
    tries: trial.tries,
    figure: '0 leaks; foreign, unknown and malformed ids answered equally, byte for byte',
    failures: findings.failures,
  };
}

/**
 * What operations answer to records that are not in the state that they are for; writeDraft has taken the picture, and
 * the session is of another key.
 */
const inOtherState: Readonly<Record<string, number>> = {
  ...{ removeClient: 409, openSubscription: 409, updatePicture: 404, undoAgentSession: 404 },
};

/** Without a credential it answers that nobody is signed in. */
const saysNobody = 'getSession';

interface ResponseSnapshot {
  readonly status: number;
  /** Status, stable headers and body. */
  readonly bytes: string;
}

class Trial {
  tries = 0;
  readonly #ours: SeedFixtures;
  readonly #theirs: SeedFixtures;
  readonly #findings: Findings;

  constructor(ours: SeedFixtures, theirs: SeedFixtures, findings: Findings) {
    this.#ours = ours;
    this.#theirs = theirs;
    this.#findings = findings;
  }

  /** Calls the operation with each kind of id, or once if its path has none. */
  async paths(operation: Operation, credential: Credential): Promise<void> {
    const { name, permission, refusesKeys, takesAnyKey, success, path } = operation;
    const isAllowed = takesAnyKey || (!refusesKeys && credential.permissions.includes(permission));
    const stranger = credential.name === 'none' && name === saysNobody ? success : 401;
    const refused = !credential.fixtures ? stranger : isAllowed ? undefined : 403;
    const isTheirs = credential.fixtures === this.#theirs;
    const own = credential.fixtures ?? this.#ours;
    const hasIds = path.includes('{');
    // The other organization never writes to its own records, so that a foreign write would show. What no credential
    // stands for has no own records.
    if (isTheirs ? operation.method === 'GET' : credential.fixtures !== undefined || !hasIds) {
      const params = operation.method === 'DELETE' && refused === undefined ? await paramsToDelete(operation, own) : own.params;
      const { status } = await this.#send(operation, credential, pathOf(path, params));
      this.#findings.check(
        status === (refused ?? inOtherState[name] ?? success),
        `${credential.name} key, ${name} on its own records: ${status}`,
      );
    }
    if (!hasIds) return;
    const foreign = isTheirs ? this.#ours.params : this.#theirs.params;
    const ids = [foreign, withEveryId(foreign, unknownId)];
    // Nobody looks at the ids of a request that is refused for its credential.
    if (refused === undefined) ids.push(withEveryId(foreign, 'nonsense'), withEveryId(foreign, `${unknownId}'`));
    const snapshots: ResponseSnapshot[] = [];
    for (const params of ids) snapshots.push(await this.#send(operation, credential, pathOf(path, params)));
    for (const { status, bytes } of snapshots) {
      this.#findings.check(status === (refused ?? 404), `${credential.name} key, ${name} on foreign records: ${status}`);
      this.#findings.check(bytes === snapshots[0]?.bytes, `${credential.name} key, ${name}: ${bytes} differs from ${snapshots[0]?.bytes}`);
    }
  }

  /** Foreign ids in body and query fields must be answered like unknown ids. */
  async fields(operation: Operation): Promise<void> {
    const { api } = this.#ours.agency;
    const credential = { name: 'our', api, fixtures: this.#ours, permissions: [] };
    for (const [field, foreign] of Object.entries(this.#theirs.references)) {
      const inBody = operation.body?.properties?.[field] !== undefined;
      if (!inBody && !operation.query.includes(field)) continue;
      const path = pathOf(operation.path, this.#ours.params);
      const snapshots: ResponseSnapshot[] = [];
      for (const value of [foreign, unknown(field)]) {
        const target = inBody ? path : `${path}?${field}=${value}`;
        snapshots.push(await this.#send(operation, credential, target, inBody ? { [field]: value } : {}));
      }
      const [first, second] = snapshots;
      this.#findings.check(
        first?.bytes === second?.bytes,
        `${operation.name} with a foreign ${field}: ${first?.bytes}, not ${second?.bytes}`,
      );
      this.#findings.check(!inBody || (first?.status ?? 0) >= 400, `${operation.name} accepted a foreign ${field}`);
    }
  }

  async #send(operation: Operation, { api, fixtures, name }: Credential, path: string, fields: object = {}): Promise<ResponseSnapshot> {
    this.tries++;
    const body = operation.body && JSON.stringify({ ...minimalBody(operation, this.#ours), ...fields });
    const headers = { 'x-request-id': 'the-same', ...(body && { 'content-type': 'application/json' }) };
    const response = await api.raw(path, { method: operation.method, body, headers });
    const text = await response.text();
    const foreign = [this.#ours, this.#theirs].filter((each) => each !== fixtures);
    for (const { secret } of foreign) this.#findings.check(!text.includes(secret), `${name} key, ${operation.name} ${path} leaks ${text}`);
    const stableHeaders = [...response.headers].filter(([header]) => !volatileHeader.test(header));
    return { status: response.status, bytes: JSON.stringify([response.status, stableHeaders, text]) };
  }
}
