import { randomBytes } from 'node:crypto';
import type { Limit } from '@webkiln/contract';
import { type QuotaName, quotaNames, quotas } from '@webkiln/messages';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { agency, eventually } from '../harness/agency.ts';
import { Api, type ApiResponse } from '../harness/api.ts';
import { addMember, setLimit } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { activeClient, makeProject, makeWebhook } from './fixtures.ts';

describe('limits', () => {
  const limitsOf = async ({ api }: Person): Promise<Limit[]> => (await api.get('/account/limits')).expect(200).body.limits;
  const unit = (name: QuotaName): string => quotas[name].unit;
  const usedBy = async (person: Person) => Object.fromEntries((await limitsOf(person)).map(({ name, used }) => [name, used]));

  test('getLimits: names every quota with its unit, its limit and what is used, as a number for all but rates', async () => {
    const limits = await limitsOf(await owner());
    expect(limits).toEqual(
      quotaNames.map((name) => ({
        name,
        unit: unit(name),
        limit: expect.any(Number),
        used: unit(name).endsWith(' a minute') ? null : expect.any(Number),
      })),
    );
  });

  test('getLimits: counts what the organization has, less what it deleted, and nothing of others', async () => {
    const [boss, stranger] = [await owner(), await owner()];
    const { api } = boss;
    expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 0, projects: 0, webhooks: 0, keys: 0, embed_clients: 0 });
    const project = await makeProject(api, await activeClient(api));
    const webhook = await makeWebhook(api);
    await makeWebhook(api);
    const { key } = (await api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    (await api.post('/account/embed-clients', { name: 'Builder', allowed_origins: ['https://agency.example.com'] })).expect(201);
    expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 1, projects: 1, webhooks: 2, keys: 1, embed_clients: 1 });
    (await api.delete(`/projects/${project.id}`)).expect(200);
    (await api.delete(`/webhooks/${webhook.id}`)).expect(200);
    (await api.delete(`/account/keys/${key.id}`)).expect(200);
    expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 1, projects: 0, webhooks: 1, keys: 0, embed_clients: 1 });
    expect(await usedBy(stranger)).toMatchObject({ clients: 0, webhooks: 0, embed_clients: 0 });
  });

  test('getLimits: shows the limit that an operator sets, and the platform’s again without it', async () => {
    await agency();
    const boss = await owner();
    const { organization } = (await boss.api.get('/account/session')).expect(200).body;
    const limit = async () => (await limitsOf(boss)).find(({ name }) => name === 'webhooks')?.limit;
    const usual = await limit();
    await setLimit(organization.id, 'webhooks', 7);
    await eventually(async () => expect(await limit()).toBe(7));
    await setLimit(organization.id, 'webhooks');
    await eventually(async () => expect(await limit()).toBe(usual));
  });
});

describe('the limit of events', () => {
  /** An organization whose `project.created` goes to the receiver. */
  async function subscriber({ url }: WebhookReceiver) {
    const { api, organization } = await agency(undefined, { rateLimit: 1_000_000 });
    const client = await activeClient(api);
    await makeWebhook(api, { url, events: ['project.created'] });
    return { id: organization.id, raise: async () => (await makeProject(api, client)).id };
  }

  test('events beyond the limit of an organization wait while those of others arrive; a higher limit lets each of them arrive', async () => {
    await using receiver = await WebhookReceiver.start();
    const [ours, other] = [await subscriber(receiver), await subscriber(receiver)];
    const arrived = () => new Set(receiver.received.map(({ event }) => event.data.project.id));
    const othersArrive = async () => {
      const id = await other.raise();
      await eventually(() => expect(arrived()).toContain(id));
    };
    await setLimit(ours.id, 'events', 0);
    const first = await eventually(async () => {
      const id = await ours.raise();
      await othersArrive();
      expect(arrived()).not.toContain(id);
      return id;
    });
    const rest = await Promise.all(Array.from({ length: 50 }, ours.raise));
    await othersArrive();
    const waiting = [first, ...rest];
    expect(waiting.filter((id) => arrived().has(id))).toEqual([]);
    await setLimit(ours.id, 'events', 3_000);
    await eventually(() => expect(waiting.filter((id) => !arrived().has(id))).toEqual([]));
  });
});

describe('quotas', () => {
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

  test(
    'of 50 form submissions at once exactly as many are stored as the organization may have a day, and a higher limit lets more in',
    async () => {
      await withinOneDay();
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
    },
    nextDayTimeoutMs,
  );

  test('all credentials of an organization together are refused with 429 beyond its requests, with the sentence of that limit', async () => {
    const ours = await agency(undefined, { rateLimit: 1_000_000 });
    await setLimit(ours.organization.id, 'requests', 3);
    const refused = await eventually(async () => (await ours.api.get('/plans')).expect(429, 'rate_limited'));
    expect(refused.body.error).toMatch(/^requests: the credentials of your organization may send 3 requests a minute together;/);
    expect(refused.headers.get('x-ratelimit-limit') ?? refused.headers.get('ratelimit-limit')).toBe('3');
    (await ours.readOnly.get('/plans')).expect(429, 'rate_limited');
  });
});

describe('the pace of writes', () => {
  test('writes of an organization beyond 20 at once take their turns at a thirtieth of its limit a second, and all succeed', async () => {
    const { api: balanced, organization } = await agency(undefined, { rateLimit: 1_000_000 });
    // Each gateway paces what passes through it.
    const api = new Api(`${sharedPlatform().origins.at(-1)}/api/v1`, balanced.key);
    await setLimit(organization.id, 'requests', 300);
    const { id } = await activeClient(api);
    const rename = async () => (await api.patch(`/clients/${id}`, { name: 'renamed' })).expect(200);
    // Once the gateway knows the limit.
    await eventually(async () => {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 40 }, rename));
      expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    });
  });
});
