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

/** The audit entries about embed clients, oldest first. */
async function acts(api: Api): Promise<Act[]> {
  const { entries } = (await api.get('/account/audit')).expect(200).body as { entries: Act[] };
  return entries.filter(({ target }) => target.kind === 'embed_client').sort((one, other) => one.at.localeCompare(other.at));
}

test('createEmbedClient: answers 201 with exactly the contract fields, normalized origins and the secret', async () => {
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

test('createEmbedClient: removes duplicate origins', async () => {
  const allowed_origins = ['https://a.example', 'https://A.example:443/', 'https://a.example:8443'];
  expect((await make(ada.api, { allowed_origins })).embed_client.allowed_origins).toEqual(['https://a.example', 'https://a.example:8443']);
});

test.each([
  ['no name', { allowed_origins: wanted.allowed_origins }, 'name: is required'],
  ['no origins', { name: 'Portal' }, 'allowed_origins: is required'],
  ['an empty list of origins', { name: 'Portal', allowed_origins: [] }, 'allowed_origins: must name at least one origin'],
  ['21 origins', { name: 'Portal', allowed_origins: Array(21).fill('https://a.example') }, 'allowed_origins: must have at most 20'],
  ['an invalid origin', { name: 'Portal', allowed_origins: ['https://*.example.com'] }, 'allowed_origins.0: must be an origin such as'],
  ['a secret of its own', { ...wanted, secret: 'embs_x' }, 'secret: is not a field'],
])('createEmbedClient: answers 400 to %s and names the wrong field', async (_case, body, sentence) => {
  expect((await ada.api.post(path, body)).expect(400, 'validation_failed').body.error).toContain(sentence);
});

test('createEmbedClient, rotateEmbedClient: have one effect per Idempotency-Key, and repeat the secret', async () => {
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

test('listEmbedClients: answers 200 with the embed clients of the organization, newest first, in pages, without secrets', async () => {
  const { api } = await owner();
  const [first, second] = [await make(api), await make(api, { name: 'Shop' })];
  const { body } = (await api.get(path)).expect(200);
  expect(body).toEqual({ embed_clients: [second.embed_client, first.embed_client], total: 2 });
  expect((await api.get(`${path}?limit=1&offset=1`)).expect(200).body).toEqual({ embed_clients: [first.embed_client], total: 2 });
});

test('getEmbedClient: answers 200 with the embed client', async () => {
  const { embed_client } = await make();
  expect((await ada.api.get(`${path}/${embed_client.id}`)).expect(200).body).toEqual({ embed_client });
});

test('updateEmbedClient: changes only the fields in the body, and answers 412 to an outdated ETag', async () => {
  const { embed_client } = await make();
  const one = `${path}/${embed_client.id}`;
  const match = { 'if-match': (await ada.api.get(one)).headers.get('etag') ?? '' };
  const changed = { ...embed_client, allowed_origins: ['https://b.example'] };
  expect((await ada.api.patch(one, { allowed_origins: ['https://B.example'] }, match)).expect(200).body).toEqual({ embed_client: changed });
  (await ada.api.patch(one, { name: 'Late' }, match)).expect(412, 'edited_meanwhile');
  expect((await ada.api.patch(one, { name: 'Shop' })).expect(200).body).toEqual({ embed_client: { ...changed, name: 'Shop' } });
});

test('updateEmbedClient: answers 400 to invalid values and changes nothing', async () => {
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

test('rotateEmbedClient: answers 200 with a new secret and the time at which the old one expires', async () => {
  const { embed_client, secret } = await make();
  const one = `${path}/${embed_client.id}`;
  const { body } = (await ada.api.post(`${one}/rotate`, { grace_hours: 24 })).expect(200);
  expect(body.secret).toEqual(isSecret);
  expect(body.secret).not.toBe(secret);
  expect(body.embed_client).toMatchObject({ id: embed_client.id, secret_prefix: body.secret.slice(0, 10) });
  expect(Date.parse(body.embed_client.previous_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect((await ada.api.post(`${one}/rotate`, {})).expect(200).body.embed_client.previous_secret_until).toBeNull();
});

test('rotateEmbedClient: answers 400 to a grace period over one day', async () => {
  const { embed_client } = await make();
  (await ada.api.post(`${path}/${embed_client.id}/rotate`, { grace_hours: 25 })).expect(400, 'validation_failed');
});

test('deleteEmbedClient: answers 200 {deleted, id}, and 404 when repeated', async () => {
  const { id } = (await make()).embed_client;
  expect((await ada.api.delete(`${path}/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ada.api.delete(`${path}/${id}`)).expect(404, 'embed_client_not_found');
  (await ada.api.get(`${path}/${id}`)).expect(404, 'embed_client_not_found');
});

test('getEmbedClient, updateEmbedClient, rotateEmbedClient, deleteEmbedClient: answer 404 to foreign, unknown and malformed ids', async () => {
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

test('listEmbedClients, createEmbedClient: answer 403 to an API key without the permission for it, and 401 without a credential', async () => {
  const { api } = await agency();
  (await api.get(path)).expect(403, 'permission_missing');
  (await api.post(path, wanted)).expect(403, 'permission_missing');
  (await new Api(`${sharedPlatform().origins[0]}/api/v1`).get(path)).expect(401, 'missing_credential');
});

test('listEmbedClients, getEmbedClient, updateEmbedClient, deleteEmbedClient: never return the secret', async () => {
  const { embed_client, secret } = await make();
  const one = `${path}/${embed_client.id}`;
  const answers = [await ada.api.get(path), await ada.api.get(one), await ada.api.patch(one, { name: 'Shop' }), await ada.api.delete(one)];
  for (const { body } of answers) for (const hidden of [secret, '"secret"', 'hash']) expect(JSON.stringify(body)).not.toContain(hidden);
});

test('listAudit: contains every change of an embed client, and no entry for an update without a change', async () => {
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
