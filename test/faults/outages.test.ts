import type { LoggedRequest, Usage } from '@webkiln/contract';
import { makeProject, makeWebhook } from '../contract/fixtures.ts';
import { clientPages, ownerPages } from '../dashboard/testing/pages.ts';
import { Tab } from '../dashboard/testing/tab.ts';
import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { useBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { clientUser } from '../harness/team.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { keepAcknowledgedWrites, kill, pauseFor } from './runs/outages/acknowledged-writes.ts';
import { interruptUploads } from './runs/outages/interrupted-upload.ts';
import { arrivalSettings, deliverEveryEvent } from './runs/webhooks/arrival.ts';

jest.setTimeout(faultTimeoutMs);

const browser = useBrowser();

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: arrivalSettings });
});
afterAll(() => platform?.[Symbol.asyncDispose]());

describe('writes', () => {
  /** The stories, of five writes each, take longer than the longest pause before the fault. */
  const counts = { rounds: 1, writesPerSecond: 5, storiesInFlight: 8, othersPerSecond: 5 };
  /** One service with its own records for all, as they die in the same way. The drill kills and pauses every part. */
  const killedParts = ['clients-plans', 'mcp', 'gateway', 'nats', 'mongodb'];
  const hangingParts = ['identity', 'redis', 'mongodb'];

  test('kill -9 of a part of each kind during writes loses and duplicates no acknowledged write, answers no caller 500, and the platform recovers', async () => {
    expectHeld(await keepAcknowledgedWrites(platform, kill, { ...counts, parts: killedParts }));
  });

  test('a part that hangs for 3 s loses and duplicates no acknowledged write, and answers no caller 500', async () => {
    expectHeld(await keepAcknowledgedWrites(platform, pauseFor(3000), { ...counts, parts: hangingParts }));
  });
});

describe('webhooks', () => {
  test('every event reaches every subscribed webhook under one id while parts are killed and receivers fail', async () => {
    expectHeld(await deliverEveryEvent(platform, { msPerPart: 2000, storiesInFlight: 8, load: 0.3 }));
  });
});

describe('agents', () => {
  test('while mcp is away agents read on, get a 503 otherwise that says when to come back, REST goes on, and mcp serves again once it is back', async () => {
    const ours = await agency(platform.facts, { rateLimit: 10_000 });
    const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
    expect(await agent.use('list_plans')).toMatchObject({ plans: [] });
    await platform.stopProcess('mcp');
    for (const method of ['tools/list', 'ping']) {
      const refused = (await agent.ask(method)).expect(503);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.body).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'unavailable' } } });
    }
    expect(await agent.use('list_plans')).toMatchObject({ plans: [] });
    (await ours.api.get('/plans')).expect(200);
    await platform.startProcess('mcp');
    await eventually(async () => (await agent.ask('tools/list')).expect(200));
  });

  test('a session id of before serves after every process of mcp and the gateway was killed', async () => {
    const ours = await agency(platform.facts, { rateLimit: 10_000 });
    const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
    const clientInfo = { name: 'long-lived', version: '1' };
    const answer = (await agent.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })).expect(200);
    const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
    await platform.replace('mcp');
    await platform.replace('gateway');
    await eventually(async () => (await agent.ask('tools/call', { name: 'list_plans', arguments: {} }, session)).expect(200));
  });

  test('a tool whose service is away tells the agent to repeat the call, and its repeat takes effect once', async () => {
    const ours = await agency(platform.facts, { rateLimit: 10_000 });
    const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
    const given = { email: `client-${crypto.randomUUID()}@example.test`, idempotency_key: crypto.randomUUID() };
    await platform.stopProcess('clients-plans');
    expect(await agent.refusal('create_client', given)).toMatch(/^unavailable: .*same idempotency_key/);
    await platform.startProcess('clients-plans');
    const { client } = await eventually(() => agent.use('create_client', given));
    expect((await agent.use('create_client', given)).client).toEqual(client);
    expect((await agent.use('list_clients')).clients).toMatchObject([{ id: client.id }]);
  });
});

describe('the request log', () => {
  const rounds = 3;
  const perRound = 20;

  test('every answered request is logged and counted once while gateways restart and identity is killed -9', async () => {
    const boss = await owner({ platform: platform.facts });
    const { key, secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    const program = new Api(boss.api.baseUrl, secret);
    // A request right after a restart may be refused. It is counted as well, but as an error.
    const ask = () => eventually(async () => (await program.get('/clients')).expect(200).headers.get('x-request-id') ?? '');
    const answered: string[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let time = 0; time < perRound; time++) answered.push(await ask());
      await Promise.all([platform.replace('gateway', 'SIGTERM'), platform.replace('identity')]);
    }
    const logged = await eventually(async () => {
      const { requests } = (await boss.api.get(`/account/requests?key_id=${key.id}&status=2xx&limit=100`)).expect(200).body;
      expect(requests.length).toBeGreaterThanOrEqual(answered.length);
      return requests as LoggedRequest[];
    });
    expect(logged.map(({ request_id }) => request_id).sort()).toEqual(answered.toSorted());
    const counted = await eventually(async () => {
      const { usage } = (await boss.api.get('/account/usage')).expect(200).body as { usage: Usage };
      const { requests = 0, client_errors = 0, server_errors = 0 } = usage.keys.find(({ key_id }) => key_id === key.id) ?? {};
      expect(requests - client_errors - server_errors).toBeGreaterThanOrEqual(answered.length);
      return requests - client_errors - server_errors;
    });
    expect(counted).toBe(answered.length);
  });
});

describe('uploads', () => {
  test('an upload that is interrupted leaves nothing half there, and is repeated by a button', async () => {
    expectHeld(await interruptUploads(platform, browser(), { files: 200, bytes: 2 * 1024 ** 2 }));
  });
});

describe('pages', () => {
  /** Pages whose records identity keeps. */
  const ofIdentity = new Set(['keys', 'requests', 'agents', 'members', 'organization', 'limits', 'audit', 'account', 'build']);
  type OpenPage = { readonly path: string; readonly person: Person };
  let pages: Record<'identity' | 'others', OpenPage[]>;
  beforeAll(async () => {
    const ada = await owner({ platform: platform.facts });
    const { person: rosa, client } = await clientUser(ada);
    const [project, webhook] = await Promise.all([makeProject(ada.api, client), makeWebhook(ada.api)]);
    const shown = { clientId: client.id, projectId: project.id, webhookId: webhook.id };
    const { 'not-found': _, ...owners } = ownerPages(shown);
    const builder = { builder: `/builder/${project.id}` };
    const pagesOf = (person: Person, named: Readonly<Record<string, string>>) =>
      Object.entries({ ...named, ...builder }).map(([name, path]) => ({ name, path, person }));
    const all = [...pagesOf(ada, owners), ...pagesOf(rosa, clientPages(shown))];
    pages = { identity: [], others: [], ...Object.groupBy(all, ({ name }) => (ofIdentity.has(name) ? 'identity' : 'others')) };
  });

  test.each([
    ['identity', ['identity'], 'We can’t reach the sign-in service. Trying again…'],
    [
      'others',
      ['clients-plans', 'projects-templates', 'analytics', 'webhooks', 'embed'],
      /^We can’t load this right now\. Trying again…|A part of the platform does not answer/,
    ],
  ] as const)(
    'every page of %s says why it has no records while they hang, and shows them by itself once they go on',
    async (of, parts, why) => {
      const [origin = ''] = platform.facts.origins;
      await using open = new AsyncDisposableStack();
      // One window each: a browser has six connections for all tabs of a window.
      const tabs = await Promise.all(
        pages[of].map(async ({ path, person }) => {
          const tab = open.use(await Tab.open(browser(), origin));
          await tab.signInAs(person, origin);
          return { path, tab };
        }),
      );
      for (const part of parts) platform.signal(part, 'SIGSTOP');
      try {
        await Promise.all(
          tabs.map(async ({ path, tab }) => {
            await tab.page.goto(path, { waitUntil: 'commit' });
            await tab.page
              .getByText(why)
              .first()
              .waitFor()
              .catch((cause: unknown) => Promise.reject(new Error(`${path} does not say why`, { cause })));
          }),
        );
      } finally {
        for (const part of parts) platform.signal(part, 'SIGCONT');
      }
      await Promise.all(
        tabs.map(async ({ tab }) => {
          await tab.page.getByText(why).first().waitFor({ state: 'detached' });
          await tab.waitUntilLoaded();
          expect(tab.browserErrors).toEqual([]);
        }),
      );
    },
  );
});
