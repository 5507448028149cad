import { changeEmbedClient, openEmbedClient, rotateSecret, toEmbedClient } from './embed-client.ts';

const now = new Date('2026-01-01T00:00:00Z');
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
const made = (name: string) => ({ prefix: `embs_${name}`, hash: `hash of ${name}`, rotation: `request for ${name}` });
const draft = {
  _id: 'emb_1',
  org_id: 'o1',
  name: 'Portal',
  allowed_origins: ['https://a.example', 'https://b.example', 'https://a.example'],
  session_credits: null,
  daily_credits: 500,
};
const client = openEmbedClient(draft, made('first'), now);

test('the public record of an embed client contains neither a hash nor its organization', () => {
  expect(toEmbedClient(client)).toEqual({
    id: 'emb_1',
    name: 'Portal',
    allowed_origins: ['https://a.example', 'https://b.example'],
    secret_prefix: 'embs_first',
    session_credits: null,
    daily_credits: 500,
    previous_secret_until: null,
    created_at: '2026-01-01T00:00:00.000Z',
  });
});

test('a change contains only changed fields, with origins deduplicated; without changed fields it is null', () => {
  expect(changeEmbedClient(client, { name: 'Portal', allowed_origins: draft.allowed_origins })).toBeNull();
  expect(changeEmbedClient(client, { name: 'Shop', allowed_origins: ['https://c.example', 'https://c.example'] })).toEqual({
    name: 'Shop',
    allowed_origins: ['https://c.example'],
  });
});

test('the old secret works for the grace period, and not at all without one', () => {
  expect(rotateSecret(client, made('second'), 24, now)).toEqual({
    secret_prefix: 'embs_second',
    secret_hash: 'hash of second',
    rotation: 'request for second',
    previous_secret_hash: 'hash of first',
    previous_secret_until: hours(24),
  });
  expect(rotateSecret(client, made('second'), 0, now)).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
});

test('a rotation without grace also ends the grace period of the previous rotation', () => {
  const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
  expect(rotateSecret(rotated, made('third'), 0, hours(1))).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
});

test('a retried rotation keeps the previous secret’s grace period and discards the secret that was never shown', () => {
  const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
  const again = { ...made('second'), hash: 'hash of another text' };
  expect({ ...rotated, ...rotateSecret(rotated, again, 24, hours(1)) }).toMatchObject({
    secret_hash: 'hash of another text',
    previous_secret_hash: 'hash of first',
    previous_secret_until: hours(24),
  });
});
