import { randomUUID } from 'node:crypto';
import { EmbedClient } from '@webkiln/contract';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const path = '/account/embed-clients';
const wanted = { name: 'Portal', allowed_origins: ['https://App.Example.com/', 'http://localhost:3000'] };
const unknown = `emb_${'0'.repeat(32)}`;
const isSecret = expect.stringMatching(/^embs_[0-9A-Za-z]{49}$/);

let ada: Person;
let eve: Person;
beforeAll(async () => {
  [ada, eve] = await Promise.all([owner(), owner()]);
});

async function make(api = ada.api, fields: Partial<typeof wanted> = {}): Promise<{ embed_client: EmbedClient; secret: string }> {
  return (await api.post(path, { ...wanted, ...fields })).expect(201).body;
}

interface Act {
  readonly at: string;
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
}

/** The acts on embed clients in the log, as they were done. */
async function acts(api: Api): Promise<Act[]> {
  const { entries } = (await api.get('/account/audit')).expect(200).body as { entries: Act[] };
  return entries.filter(({ target }) => target.kind === 'embed_client').sort((one, other) => one.at.localeCompare(other.at));
}

test('POST /account/embed-clients answers 201 with exactly the fields of the contract, origins as the URL standard writes them, and the secret', async () => {
  const { embed_client, secret } = await make();
  expect(Object.keys(embed_client)).toEqual(Object.keys(EmbedClient.shape));
  expect(embed_client).toMatchObject({
    id: expect.stringMatching(/^emb_[0-9a-f]{32}$/),
    name: 'Portal',
    allowed_origins: ['https://app.example.com', 'http://localhost:3000'],
    secret_prefix: secret.slice(0, 10),
    previous_secret_until: null,
  });
  expect(secret).toEqual(isSecret);
});

test('POST /account/embed-clients takes an origin that is named twice as one', async () => {
  const allowed_origins = ['https://a.example', 'https://A.example:443/', 'https://a.example:8443'];
  expect((await make(ada.api, { allowed_origins })).embed_client.allowed_origins).toEqual(['https://a.example', 'https://a.example:8443']);
});

test.each([
  ['no name', { allowed_origins: wanted.allowed_origins }, 'name: is required'],
  ['no origins', { name: 'Portal' }, 'allowed_origins: is required'],
  ['an empty list of origins', { name: 'Portal', allowed_origins: [] }, 'allowed_origins: must name at least one origin'],
  ['21 origins', { name: 'Portal', allowed_origins: Array(21).fill('https://a.example') }, 'allowed_origins: must have at most 20'],
  [
    'an origin that is none',
    { name: 'Portal', allowed_origins: ['https://*.example.com'] },
    'allowed_origins.0: must be an origin such as',
  ],
  ['a secret of its own', { ...wanted, secret: 'embs_x' }, 'secret: is not a field'],
])('POST /account/embed-clients with %s is 400 and says what to correct', async (_case, body, sentence) => {
  expect((await ada.api.post(path, body)).expect(400, 'validation_failed').body.error).toContain(sentence);
});

test('POST /account/embed-clients and rotate with one Idempotency-Key have one effect and show the same secret again', async () => {
  const { api } = await owner();
  const repeat = async (to: string, body: object) => {
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await api.post(to, body, key), await api.post(to, body, key)];
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([first.status, first.body, 'true']);
    return first.body;
  };
  const made = await repeat(path, wanted);
  const rotated = await repeat(`${path}/${made.embed_client.id}/rotate`, { grace_hours: 1 });
  expect([made.secret, rotated.secret]).toEqual([isSecret, isSecret]);
  expect((await api.get(path)).body.total).toBe(1);
  await eventually(async () =>
    expect((await acts(api)).map(({ action }) => action)).toEqual(['embed_client.created', 'embed_client.rotated']),
  );
});

test('GET /account/embed-clients answers 200 with the own ones, newest first, by pages, without secrets', async () => {
  const { api } = await owner();
  const [first, second] = [await make(api), await make(api, { name: 'Shop' })];
  const { body } = (await api.get(path)).expect(200);
  expect(body).toEqual({ embed_clients: [second.embed_client, first.embed_client], total: 2 });
  expect((await api.get(`${path}?limit=1&offset=1`)).expect(200).body).toEqual({ embed_clients: [first.embed_client], total: 2 });
});

test('GET /account/embed-clients/{embedClientId} answers 200 with it', async () => {
  const { embed_client } = await make();
  expect((await ada.api.get(`${path}/${embed_client.id}`)).expect(200).body).toEqual({ embed_client });
});

test('PATCH /account/embed-clients/{embedClientId} answers 200 and changes the fields of the body alone, and only as it was read', async () => {
  const { embed_client } = await make();
  const one = `${path}/${embed_client.id}`;
  const match = { 'if-match': (await ada.api.get(one)).headers.get('etag') ?? '' };
  const changed = { ...embed_client, allowed_origins: ['https://b.example'] };
  expect((await ada.api.patch(one, { allowed_origins: ['https://B.example'] }, match)).expect(200).body).toEqual({ embed_client: changed });
  (await ada.api.patch(one, { name: 'Late' }, match)).expect(412, 'edited_meanwhile');
  expect((await ada.api.patch(one, { name: 'Shop' })).expect(200).body).toEqual({ embed_client: { ...changed, name: 'Shop' } });
});

test('PATCH /account/embed-clients/{embedClientId} with values that do not fit is 400 and changes nothing', async () => {
  const { embed_client } = await make();
  const one = `${path}/${embed_client.id}`;
  for (const fields of [
    { name: null },
    { allowed_origins: [] },
    { allowed_origins: ['http://a.example'] },
    { secret_prefix: 'embs_abcde' },
  ]) {
    (await ada.api.patch(one, fields)).expect(400, 'validation_failed');
  }
  expect((await ada.api.get(one)).body).toEqual({ embed_client });
});

test('POST /account/embed-clients/{embedClientId}/rotate answers 200 with another secret, and says how long the old one works', async () => {
  const { embed_client, secret } = await make();
  const one = `${path}/${embed_client.id}`;
  const { body } = (await ada.api.post(`${one}/rotate`, { grace_hours: 24 })).expect(200);
  expect(body.secret).toEqual(isSecret);
  expect(body.secret).not.toBe(secret);
  expect(body.embed_client).toMatchObject({ id: embed_client.id, secret_prefix: body.secret.slice(0, 10) });
  expect(Date.parse(body.embed_client.previous_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect((await ada.api.post(`${one}/rotate`, {})).expect(200).body.embed_client.previous_secret_until).toBeNull();
});

test('POST /account/embed-clients/{embedClientId}/rotate with more than a day of grace is 400', async () => {
  const { embed_client } = await make();
  (await ada.api.post(`${path}/${embed_client.id}/rotate`, { grace_hours: 25 })).expect(400, 'validation_failed');
});

test('DELETE /account/embed-clients/{embedClientId} answers 200 {deleted, id}, a repeat 404', async () => {
  const { id } = (await make()).embed_client;
  expect((await ada.api.delete(`${path}/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ada.api.delete(`${path}/${id}`)).expect(404, 'embed_client_not_found');
  (await ada.api.get(`${path}/${id}`)).expect(404, 'embed_client_not_found');
});

test('another organization’s, unknown and malformed ids are not there', async () => {
  const { embed_client } = await make();
  for (const id of [embed_client.id, unknown, randomUUID(), 'nonsense', embed_client.id.toUpperCase()]) {
    (await eve.api.get(`${path}/${id}`)).expect(404, 'embed_client_not_found');
    (await eve.api.patch(`${path}/${id}`, { name: 'Mine' })).expect(404, 'embed_client_not_found');
    (await eve.api.post(`${path}/${id}/rotate`, {})).expect(404, 'embed_client_not_found');
    (await eve.api.delete(`${path}/${id}`)).expect(404, 'embed_client_not_found');
  }
  expect((await eve.api.get(path)).body.total).toBe(0);
  expect((await ada.api.get(`${path}/${embed_client.id}`)).expect(200).body).toEqual({ embed_client });
});

test('embed clients are for people who are signed in: no key may, nor who is nobody', async () => {
  const { api } = await agency();
  (await api.get(path)).expect(403, 'session_required');
  (await api.post(path, wanted)).expect(403, 'session_required');
  (await new Api(`${sharedPlatform().origins[0]}/api/v1`).get(path)).expect(401, 'missing_credential');
});

test('a secret is in no answer but the one that made it', async () => {
  const { embed_client, secret } = await make();
  const one = `${path}/${embed_client.id}`;
  const answers = [await ada.api.get(path), await ada.api.get(one), await ada.api.patch(one, { name: 'Shop' }), await ada.api.delete(one)];
  for (const { body } of answers) for (const hidden of [secret, '"secret"', 'hash']) expect(JSON.stringify(body)).not.toContain(hidden);
});

test('what is done to an embed client is in the audit log, and what changes nothing is not', async () => {
  const { api } = await owner();
  const { id } = (await make(api)).embed_client;
  (await api.patch(`${path}/${id}`, { name: 'Portal' })).expect(200);
  (await api.patch(`${path}/${id}`, { name: 'Shop' })).expect(200);
  (await api.post(`${path}/${id}/rotate`, {})).expect(200);
  (await api.delete(`${path}/${id}`)).expect(200);
  const about = (name: string) => ({ kind: 'embed_client', id, name });
  await eventually(async () =>
    expect((await acts(api)).map(({ action, target }) => [action, target])).toEqual([
      ['embed_client.created', about('Portal')],
      ['embed_client.changed', about('Portal')],
      ['embed_client.rotated', about('Shop')],
      ['embed_client.deleted', about('Shop')],
    ]),
  );
});
