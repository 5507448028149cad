import { changeEmbedClient, openEmbedClient, rotateSecret, toEmbedClient } from './embed-client.ts';

const now = new Date('2026-01-01T00:00:00Z');
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
const made = (name: string) => ({ prefix: `embs_${name}`, hash: `hash of ${name}`, rotation: `request for ${name}` });
const draft = {
  _id: 'emb_1',
  org_id: 'o1',
  name: 'Portal',
  allowed_origins: ['https://a.example', 'https://b.example', 'https://a.example'],
};
const client = openEmbedClient(draft, made('first'), now);

test('an embed client tells its fields, and neither a hash nor its organization', () => {
  expect(toEmbedClient(client)).toEqual({
    id: 'emb_1',
    name: 'Portal',
    allowed_origins: ['https://a.example', 'https://b.example'],
    secret_prefix: 'embs_first',
    previous_secret_until: null,
    created_at: '2026-01-01T00:00:00.000Z',
  });
});

test('a change is what differs, each origin once; what is as it was is none', () => {
  expect(changeEmbedClient(client, { name: 'Portal', allowed_origins: draft.allowed_origins })).toBeNull();
  expect(changeEmbedClient(client, { name: 'Shop', allowed_origins: ['https://c.example', 'https://c.example'] })).toEqual({
    name: 'Shop',
    allowed_origins: ['https://c.example'],
  });
});

test('the old secret works on through the hours of grace, and without them not at all', () => {
  expect(rotateSecret(client, made('second'), 24, now)).toEqual({
    secret_prefix: 'embs_second',
    secret_hash: 'hash of second',
    rotation: 'request for second',
    previous_secret_hash: 'hash of first',
    previous_secret_until: hours(24),
  });
  expect(rotateSecret(client, made('second'), 0, now)).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
});

test('a rotation at once ends the grace of the one before: of two secrets that may be out neither is left', () => {
  const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
  expect(rotateSecret(rotated, made('third'), 0, hours(1))).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
});

test('a rotation that is repeated keeps the grace of the secret before, and lets the text that was never shown go', () => {
  const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
  const again = { ...made('second'), hash: 'hash of another text' };
  expect({ ...rotated, ...rotateSecret(rotated, again, 24, hours(1)) }).toMatchObject({
    secret_hash: 'hash of another text',
    previous_secret_hash: 'hash of first',
    previous_secret_until: hours(24),
  });
});
