import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { eventually } from '../../harness/agency.ts';
import { Api } from '../../harness/api.ts';
import type { Estate } from './estate.ts';

const expiresInMs = 1000;

/** A way to call, and what it may. */
export interface Credential {
  readonly name: string;
  readonly api: Api;
  /** Whose records it reaches; nobody's where it is not valid. */
  readonly estate?: Estate;
  readonly permissions: readonly string[];
}

/** Every kind of credential; those that once were valid have been used and are not valid any more. */
export async function credentialsOf(ours: Estate, theirs: Estate): Promise<readonly Credential[]> {
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
    { name: 'read-only', api: readOnly, estate: ours, permissions: ['read'] },
    { name: 'write-only', api: writeOnly, estate: ours, permissions: ['write'] },
    { name: 'read and write', api, estate: ours, permissions: ['read', 'write'] },
    { name: 'other organization', api: theirs.agency.api, estate: theirs, permissions: ['read', 'write'] },
  ];
}
