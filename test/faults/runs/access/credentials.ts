import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { eventually } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import type { SeedFixtures } from '../records/seed-fixtures.ts';

const expiresInMs = 5000;

/** A credential and what it grants. */
export interface Credential {
  readonly name: string;
  readonly api: Api;
  /** The records it may reach; undefined for an invalid credential. */
  readonly fixtures?: SeedFixtures;
  readonly permissions: readonly string[];
}

/** Every kind of credential. The revoked and expired keys were valid and in use before. */
export async function credentialsOf(ours: SeedFixtures, theirs: SeedFixtures): Promise<readonly Credential[]> {
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
