import { randomBytes } from 'node:crypto';
import type { QuotaName } from '@webkiln/messages';
import { agency, eventually } from '../harness/agency.ts';
import type { Api, ApiResponse } from '../harness/api.ts';
import { addMember, setLimit } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm } from '../harness/visitor.ts';
import { activeClient, makeProject } from './fixtures.ts';

const email = () => `${crypto.randomUUID()}@example.com`;
const invite = (api: Api) => api.post('/clients', { email: email() });

/** Uses one of a quota; `free` is the path of what was made, whose deletion gives it back. */
interface Row {
  readonly quota: QuotaName;
  readonly sentence: RegExp;
  readonly use: (api: Api, clientEmail: string) => Promise<ApiResponse>;
  readonly pathOf?: (body: Record<string, { id: string }>) => string;
}

const rows: Row[] = [
  {
    quota: 'projects',
    sentence: /^projects: your organization may have 6 projects and has 6;/,
    use: (api, client_email) => api.post('/projects', { client_email, name: 'Site' }),
    pathOf: ({ project }) => `/projects/${project?.id}`,
  },
  { quota: 'clients', sentence: /^clients: your organization may have 6 clients and has 6;/, use: invite },
  {
    quota: 'webhooks',
    sentence: /^webhooks: your organization may have 6 webhooks and has 6;/,
    use: (api) => api.post('/webhooks', { url: 'https://hooks.example.com/in', events: ['client.created'] }),
    pathOf: ({ webhook }) => `/webhooks/${webhook?.id}`,
  },
  {
    quota: 'keys',
    sentence: /^keys: your organization may have 6 API keys and has 6;/,
    use: (api) => api.post('/account/keys', { name: crypto.randomUUID(), permissions: ['read'] }),
    pathOf: ({ key }) => `/account/keys/${key?.id}`,
  },
  {
    quota: 'embed_clients',
    sentence: /^embed_clients: your organization may have 6 embed clients and has 6;/,
    use: (api) => api.post('/account/embed-clients', { name: 'Builder', allowed_origins: ['https://agency.example.com'] }),
    pathOf: ({ embed_client }) => `/account/embed-clients/${embed_client?.id}`,
  },
];

/** Each replica learns of a limit by itself, and the gateways call them in turn. */
const refusalsInARow = 12;

/** Waits until a limit is known: uses are refused, one after the other. Returns the last refusal. */
const untilRefused = <T>(refusal: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    for (let count = 1; count < refusalsInARow; count++) await refusal();
    return refusal();
  });

test.each(rows)(
  'of 50 at once exactly as many $quota are made as the limit allows, the rest is refused with a sentence, and a deletion gives room for one',
  async (row) => {
    await agency();
    const boss = await owner();
    const { api } = boss;
    const { organization } = (await api.get('/account/session')).expect(200).body;
    const client = row.quota === 'projects' ? await activeClient(api) : { email: '' };
    const use = () => row.use(api, client.email);
    await setLimit(organization.id, row.quota, 0);
    const { body: full } = await untilRefused(async () => (await use()).expect(403, 'quota_exceeded'));
    const made = Number(/has (\d+)/.exec(full.error)?.[1]);
    // What was made before the limit was known leaves room for six.
    const sixth = made + 6;
    await setLimit(organization.id, row.quota, sixth);
    const first = await eventually(async () => (await use()).expect(201));
    const answers = await Promise.all(Array.from({ length: 50 }, use));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refusals = answers.filter(({ status }) => status === 403);
    expect(refusals).toHaveLength(45);
    for (const { body } of refusals) {
      expect(body).toMatchObject({ code: 'quota_exceeded', details: [{ path: row.quota }] });
      if (made === 0) expect(body.error).toMatch(row.sentence);
      expect(body.error).toMatch(/; use less, or ask the operator of this platform for more\.$/);
    }
    if (row.pathOf === undefined) return;
    (await api.delete(row.pathOf(first.body))).expect(200);
    (await use()).expect(201);
    (await use()).expect(403, 'quota_exceeded');
  },
);

test('of 50 members who are added at once exactly as many are added as the limit allows', async () => {
  const ours = await agency();
  const { id } = ours.organization;
  const add = () => addMember(id, email());
  let refusal = '';
  await setLimit(id, 'members', 0);
  await untilRefused(async () => {
    const error = await add().then(
      () => new Error('added'),
      (reason: Error) => reason,
    );
    if (!/^members: your organization may have 0 members/.test(error.message)) throw error;
    refusal = error.message;
  });
  await setLimit(id, 'members', Number(/has (\d+)/.exec(refusal)?.[1]) + 6);
  await eventually(add);
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, add));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});

test('of 50 publishes at once exactly as many are stored as the organization has room for, the rest is refused with a sentence, and a higher limit lets more in', async () => {
  const { api, organization, makeKey } = await agency(undefined, { rateLimit: 1000 });
  const kb = 1024;
  const sites = await Promise.all(Array.from({ length: 50 }, () => makeProject(api)));
  // A credential has 16 requests in flight.
  const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey(['read', 'write'])));
  const publish = (site: number, bytes: number) =>
    (keys[site % 5]?.api ?? api).post(`/projects/${sites[site]?.id}/publish`, {
      builtFiles: { 'index.html': 'Hi', 'data.bin': randomBytes(bytes / 2).toString('hex') },
    });
  (await publish(0, 2)).expect(200);
  await setLimit(organization.id, 'stored_bytes', 0);
  await untilRefused(async () => (await publish(0, 2)).expect(403, 'quota_exceeded'));
  // The page, with and without the tracker, and what was published before the limit was known take less than 5 KB.
  await setLimit(organization.id, 'stored_bytes', 65 * kb);
  await eventually(async () => (await publish(0, 10 * kb)).expect(200));
  const answers = await Promise.all(sites.map((_, site) => publish(site, 10 * kb)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refusals = answers.filter(({ status }) => status === 403);
  expect(refusals).toHaveLength(45);
  for (const { body } of refusals) {
    expect(body).toMatchObject({ code: 'quota_exceeded', details: [{ path: 'stored_bytes' }] });
    expect(body.error).toMatch(
      /^stored_bytes: your organization may have 65 KB and has [\d.]+ KB \(.* released within 22 minutes\); use less,/,
    );
  }
  await setLimit(organization.id, 'stored_bytes', 75 * kb);
  await eventually(async () => (await publish(0, 10 * kb)).expect(200));
});

test('of 50 form submissions at once exactly as many are stored as the organization may have a day, and a higher limit lets more in', async () => {
  const { api, organization } = await agency(undefined, { rateLimit: 1000 });
  const [origin = ''] = sharedPlatform().origins;
  const project = await makeProject(api);
  const { url } = (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
  // Each visitor has an address of its own: many from one are spam.
  const send = (visitor: number) =>
    sendForm(
      origin,
      `${url}/_forms/contact`,
      { name: `visitor ${visitor}` },
      {},
      `127.9.${Math.floor(visitor / 250)}.${1 + (visitor % 250)}`,
    );
  const stored = async () => (await api.get(`/projects/${project.id}/forms/submissions`)).expect(200).body.total;
  let visitors = 100;
  await setLimit(organization.id, 'form_submissions', 0);
  const refused = await untilRefused(async () => {
    const answer = await send(visitors++);
    expect(answer.status).toBe(429);
    return answer;
  });
  expect(refused.text).toContain('This site takes no more messages today.');
  const before = await stored();
  await setLimit(organization.id, 'form_submissions', before + 6);
  await eventually(async () => expect((await send(visitors++)).status).toBe(303));
  const answers = await Promise.all(Array.from({ length: 50 }, (_, visitor) => send(visitor)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(303), ...Array(45).fill(429)]);
  expect(await stored()).toBe(before + 6);
  await setLimit(organization.id, 'form_submissions', before + 7);
  await eventually(async () => expect((await send(visitors++)).status).toBe(303));
  expect(await stored()).toBe(before + 7);
});

test('all credentials of an organization together are refused with 429 beyond its requests, with the sentence of that limit', async () => {
  const ours = await agency(undefined, { rateLimit: 1_000_000 });
  await setLimit(ours.organization.id, 'requests', 3);
  const refused = await eventually(async () => (await ours.api.get('/plans')).expect(429, 'rate_limited'));
  expect(refused.body.error).toMatch(/^requests: the credentials of your organization may send 3 requests a minute together;/);
  expect(refused.headers.get('x-ratelimit-limit') ?? refused.headers.get('ratelimit-limit')).toBe('3');
  (await ours.readOnly.get('/plans')).expect(429, 'rate_limited');
});
