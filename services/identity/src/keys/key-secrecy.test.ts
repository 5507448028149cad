import { randomUUID } from 'node:crypto';
import type { Idempotency } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { introspectKeys, newKey, newOrganization, operator, pepper, useIdentity } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { createKey } from './create-key.ts';
import { keyHash } from './key-secret.ts';
import { rotateKey } from './rotate-key.ts';

useIdentity();

let org: string;
beforeAll(async () => {
  org = await newOrganization();
});

const request = { name: 'CI', permissions: ['read'] };
const repeatable = (): Idempotency => ({ id: randomUUID(), body: 'body', explicit: true });

test('the database contains no key’s text, even after requests with an Idempotency-Key created or rotated it', async () => {
  const plain = await newKey(org);
  const made = await call('identity.CreateKey', request, { ...operator(org), idempotency: repeatable() });
  const rotated = await call('identity.RotateKey', { key_id: plain.id, grace_hours: 1 }, { ...operator(org), idempotency: repeatable() });
  const stolen = await stolenDatabase();
  expect(stolen.includes(plain.prefix)).toBe(true);
  for (const { secret } of [plain, made, rotated]) {
    expect(stolen.includes(secret)).toBe(false);
    expect(stolen.includes(secret.slice(8))).toBe(false);
    expect(stolen.toString('latin1')).not.toContain(Buffer.from(secret).toString('base64').slice(0, -4));
  }
});

test('a repeated request with the same Idempotency-Key returns the same key and creates only one', async () => {
  const own = await newOrganization();
  const idempotency = repeatable();
  const first = await call('identity.CreateKey', request, { ...operator(own), idempotency });
  const again = await call('identity.CreateKey', request, { ...operator(own), idempotency });
  expect(again).toEqual(first);
  const { keys } = await call('identity.ListKeys', {}, operator(own));
  expect(keys).toHaveLength(1);
});

// After a crash between write and response, the idempotency guard runs the request again with the same ids.
const attempt = (idempotency: Idempotency, orgId: string) => ({ ...operator(orgId), idempotency, signal: new AbortController().signal });

test('if the process dies after creating a key, the retry returns that key with a working secret, and there is only one', async () => {
  const own = await newOrganization();
  const idempotency = repeatable();
  const [create] = createKey(keyHash([pepper]));
  const lost = await create.run(request, attempt(idempotency, own));
  const shown = await create.run(request, attempt(idempotency, own));
  expect(await introspectKeys(lost.secret ?? '', shown.secret ?? '')).toMatchObject([
    { valid: false },
    { valid: true, key_id: lost.key?.id },
  ]);
  const { keys } = await call('identity.ListKeys', {}, operator(own));
  expect(keys).toMatchObject([{ prefix: shown.secret?.slice(0, 8) }]);
});

test('if the process dies after rotating a key, the retry returns the new key, and there is only one', async () => {
  const own = await newOrganization();
  const old = await newKey(own);
  const idempotency = repeatable();
  const [rotate] = rotateKey(keyHash([pepper]));
  const lost = await rotate.run({ key_id: old.id, grace_hours: 0 }, attempt(idempotency, own));
  const shown = await rotate.run({ key_id: old.id, grace_hours: 0 }, attempt(idempotency, own));
  expect(await introspectKeys(old.secret, lost.secret ?? '', shown.secret ?? '')).toMatchObject([
    { valid: false },
    { valid: false },
    { valid: true, key_id: lost.key?.id },
  ]);
  const { keys } = await call('identity.ListKeys', {}, operator(own));
  expect(keys).toHaveLength(2);
});
