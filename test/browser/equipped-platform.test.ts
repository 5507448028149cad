import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { providerKey, scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { inviteClient, makePlan, makeProject } from '../contract/fixtures.ts';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { Tab } from '../dashboard/testing/tab.ts';
import { agency, eventually } from '../harness/agency.ts';
import { BrowserUser, chromiumPath, useBrowser } from '../harness/browser.ts';
import { chat, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { embedPair, type OpenedSession, openEmbedSession } from '../harness/embed-session.ts';
import { owner, Person } from '../harness/person.ts';
import { choosePicture, png } from '../harness/pictures.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';

const browser = useBrowser();

interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly name: string;
}

/** The JSON body that a collector receives over OTLP/HTTP. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly { traceId: string; name: string }[] }[];
  }[];
}

const spansIn = ({ resourceSpans }: Export): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ spans }) => spans.map(({ traceId, name }) => ({ service, traceId, name })));
  });

/** Receives spans over OTLP/HTTP. */
class Collector {
  readonly spans: Span[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => {
          this.spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString())));
          response.end('{}');
        });
    }).listen(0, '127.0.0.1');
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}

/** Has what the shared platform goes without: models, a browser for pictures and PDFs, and a collector of traces. */
let platform: TestPlatform;
let model: ModelServer;
const collector = new Collector();
let ada: Person;
beforeAll(async () => {
  model = await ModelServer.start();
  const models = { MODEL_PROVIDERS: scriptedProviders(model.url), SIGN_UP_CREDITS: '10' };
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: await collector.url() };
  platform = await startPlatform({ env: { ...models, ...traces, CHROMIUM_PATH: await chromiumPath() } });
  ada = await owner({ platform: platform.facts });
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  collector.close();
});

const home = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
const writes = { calls: [{ name: 'write_file', input: { path: 'index.html', content: home } }] };
const builds = [writes, { text: 'Your bakery has a page.' }];

describe('a turn', () => {
  // Tests of models and credits are counted per day.
  beforeAll(() => withinOneDay(300_000), nextDayTimeoutMs);

  const session = async () => ({ api: ada.api, project: await makeProject(ada.api) });
  const draft = async ({ project }: { project: { id: string } }) =>
    (await ada.api.get(`/projects/${project.id}/files`)).expect(200).body.files.map(({ path }: { path: string }) => path);

  test('with a provider a model builds the site, and no key is in the stream', async () => {
    const chatting = await session();
    model.play(builds);
    const parts = await chat(chatting, 'Build a page for my bakery.');
    expect(textOf(parts)).toBe('Your bakery has a page.');
    expect(parts).toContainEqual(expect.objectContaining({ type: 'data-file', data: { path: 'index.html', action: 'written' } }));
    expect(parts.at(-1)).toMatchObject({ type: 'finish' });
    expect(JSON.stringify(parts)).not.toContain(providerKey);
    expect(await (await ada.api.raw(`/projects/${chatting.project.id}/files/index.html`)).text()).toBe(home);
  });

  test('what a turn writes is checked: the model reads which link is dead, and code from elsewhere is refused', async () => {
    const bob = await owner({ platform: platform.facts });
    const chatting = { api: bob.api, project: await makeProject(bob.api) };
    const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
    const script = home.replace('</body>', '<script src="https://cdn.example.com/x.js"></script></body>');
    const dead = home.replace('</body>', '<a href="/menu">Menu</a></body>');
    model.play([
      { calls: [write('script.html', script), write('index.html', dead)] },
      { text: 'Done.' },
      { calls: [write('index.html', home)] },
    ]);
    await chat(chatting, 'Build a page for my bakery.');
    expect(model.requests.map(({ text }) => [text.includes('https://cdn.example.com; keep'), text.includes('leads to no file')])).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
    const { files } = (await bob.api.get(`/projects/${chatting.project.id}/files`)).expect(200).body;
    expect(files).toMatchObject([{ path: 'index.html' }]);
  });

  test('while a turn with large images runs, its organization publishes a large site', async () => {
    const bob = await owner({ platform: platform.facts });
    const chatting = { api: bob.api, project: await makeProject(bob.api) };
    model.play([{ text: 'I look at it.', fails: 'hang' }]);
    const attachments = [{ media_type: 'image/png', data: Buffer.alloc(1_500_000).toString('base64') }];
    const stream = await sendChat(chatting, 'Build it as in the picture.', {}, { attachments });
    await model.untilRequested(1);
    const site = { builtFiles: { 'index.html': home, 'a.txt': 'a'.repeat(2_000_000) } };
    (await bob.api.post(`/projects/${(await makeProject(bob.api)).id}/publish`, site)).expect(200);
    (await bob.api.post(`/projects/${chatting.project.id}/chat/stop`)).expect(200);
    expect((await partsOf(stream)).at(-1)).toMatchObject({ type: 'abort' });
  });

  test('a provider that breaks off ends the turn with a sentence, and no file changes', async () => {
    const chatting = await session();
    model.play([writes, { text: 'I', fails: 'error' }]);
    const parts = await chat(chatting, 'Build a page for my bakery.');
    expect(parts.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('broke off') });
    expect(await draft(chatting)).toEqual([]);
  });

  test('a message names one of the models that the organization allows', async () => {
    const chatting = await session();
    (await ada.api.patch('/account/models', { allowed_models: ['chat', 'messages'], default_model: 'chat' })).expect(200);
    model.play(builds);
    const response = await sendChat(chatting, 'Build it.', {}, { model: 'messages' });
    expect(textOf(await partsOf(response))).toBe('Your bakery has a page.');
    expect(model.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages']);
    const refused = await sendChat(chatting, 'Build it.', {}, { model: 'plain' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining('model: is not offered') }]);
  });

  test('a test of a model says what came of it, with no key in it, costs nothing, and can be done 20 times a day', async () => {
    const bob = await owner({ platform: platform.facts });
    const path = '/account/models/test';
    model.play(({ text }) =>
      text.includes('Thank you') ? { text: 'I have reported the word kiln to the tool, as you asked.' } : { calls: [report] },
    );
    const { model_test } = (await bob.api.post(path, { model: 'chat' })).expect(200).body;
    expect(model_test).toMatchObject({ model: 'chat', passed: true, findings: [{ code: 'works' }] });
    model.play([{ status: 401, body: { error: { message: providerKey } } }]);
    const refused = (await bob.api.post(path, { model: 'plain' })).expect(200).body.model_test;
    expect(refused).toMatchObject({ passed: false, findings: [{ code: 'key-refused' }] });
    expect(JSON.stringify(refused)).not.toContain(providerKey);
    for (let number = 2; number < 20; number++) (await bob.api.post(path, { model: 'plain' })).expect(200);
    (await bob.api.post(path, { model: 'plain' })).expect(429, 'model_tests_reached');
    expect((await ledger(bob)).balance).toBe(10);
  });

  const report = { name: 'report', input: { word: 'kiln' } };
  const ledger = async ({ api }: Pick<Person, 'api'>) => (await api.get('/account/credits')).expect(200).body;
  /** Each answer of the scripted model has 1,200 tokens, and `builds` has two. */
  const costOfABuild = 3;

  test('a turn reserves credits and is charged for its tokens, and its stream says what is left', async () => {
    const bob = await owner({ platform: platform.facts });
    model.play(builds);
    const parts = await chat({ api: bob.api, project: await makeProject(bob.api) }, 'Build it.');
    const left = 10 - costOfABuild;
    expect(parts).toContainEqual(expect.objectContaining({ type: 'data-usage', data: { credits: costOfABuild, balance: left } }));
    const { balance, reserved, entries } = await ledger(bob);
    expect([balance, reserved]).toEqual([left, 0]);
    expect(entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).toEqual([
      ['settled', left],
      ['reserved', -10],
      ['granted', 10],
    ]);
  });

  test('a turn that the provider fails costs nothing, and one without credit is answered 402 and leaves nothing behind', async () => {
    const bob = await owner({ platform: platform.facts });
    const chatting = { api: bob.api, project: await makeProject(bob.api) };
    model.play([writes, { text: 'I', fails: 'error' }]);
    expect((await chat(chatting, 'Build it.')).at(-1)).toMatchObject({ type: 'error' });
    expect(await ledger(bob)).toMatchObject({ balance: 10, reserved: 0 });
    for (const left of [7, 4, 1]) {
      model.play(builds);
      await chat(chatting, 'Build it.');
      expect((await ledger(bob)).balance).toBe(left);
    }
    const refused = await sendChat(chatting, 'Build it.');
    expect([refused.status, await refused.json()]).toMatchObject([
      402,
      { code: 'no_credit', error: expect.stringContaining('1 credits are left') },
    ]);
    const { messages, balance } = (await bob.api.get(`/projects/${chatting.project.id}/chat/messages`)).expect(200).body;
    expect([messages.length, balance]).toEqual([8, 1]);
  });

  test('an embed session uses no more credits than its embed client allows, and others go on', async () => {
    const bob = await owner({ platform: platform.facts });
    const pair = await embedPair(bob, undefined, { session_credits: 4, daily_credits: 7 });
    const open = () => openEmbedSession(pair, { prompt: 'A bakery' }, {}, platform.facts);
    const first = await open();
    model.play(builds);
    await chat(first, 'Build it.');
    const refused = await sendChat(first, 'Build it.');
    expect([refused.status, await refused.json()]).toMatchObject([402, { error: expect.stringContaining('4 credits of this session') }]);
    model.play(builds);
    await chat(await open(), 'Build it.');
    const late = await sendChat(await open(), 'Build it.');
    expect([late.status, await late.json()]).toMatchObject([402, { error: expect.stringContaining('7 credits of this day') }]);
    model.play(builds);
    await chat({ api: bob.api, project: await makeProject(bob.api) }, 'Build it.');
    expect(await ledger(bob)).toMatchObject({ balance: 10 - 3 * costOfABuild, reserved: 0 });
  });

  test('clients who joined by a link use a tenth of the credits of a day together, and the agency itself goes on', async () => {
    const bob = await owner({ platform: platform.facts });
    const plan = await makePlan(bob.api);
    (await bob.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
    const link = (await bob.api.post('/account/build-links', { prompt: 'A bakery', allows_joining: true })).expect(201).body.build_link;
    const carl = new Person({ platform: platform.facts });
    (await carl.signUp({})).expect(200);
    await carl.confirmEmail();
    const { organization_id } = (await carl.api.post('/account/join', { build_link_id: link.id })).expect(200).body;
    (await carl.api.post('/account/session/organization', { organization_id })).expect(200);
    const { project } = (await carl.api.post('/account/build', { name: 'Bakery' })).expect(201).body;
    // A tenth of 10 credits is less than the 2 that a turn needs.
    const refused = await sendChat({ api: carl.api, project }, 'Build it.');
    expect([refused.status, await refused.json()]).toMatchObject([402, { error: expect.stringContaining('clients who joined by a link') }]);
    model.play(builds);
    expect((await chat({ api: bob.api, project }, 'Build it.')).at(-1)).toMatchObject({ type: 'finish' });
  });
});

describe('the builder with models', () => {
  const desktop = { width: 1280, height: 800 };
  let session: OpenedSession;

  /** The builder of a new organization's user, open. */
  async function builder(): Promise<Tab> {
    const ada = await owner({ platform: platform.facts });
    session = await openEmbedSession(await embedPair(ada), {}, {}, platform.facts);
    const tab = await Tab.open(browser(), platform.facts.origins[0] ?? '', { viewport: desktop });
    await tab.page.goto(session.builder_url);
    await tab.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
    return tab;
  }

  async function say({ page }: Tab, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  test('a message goes to the chosen model with its picture', async () => {
    await using tab = await builder();
    const { page } = tab;
    await choosePicture(page, 'shop.png', png('#1a2b3c'));
    await page.getByLabel('What shop.png shows').fill('The shop');
    expect(await accessibilityViolations(tab)).toEqual([]);
    model.play(builds);
    await say(tab, 'A page for my bakery, as in the picture.');
    await page.getByText('Your bakery has a page.').waitFor();
    expect(model.requests[0]?.text).toContain('data:image/webp;base64,');
    expect(model.requests[0]?.text).toContain('pictures/shop-64.webp (64×64)');
    expect(model.requests[0]?.text).toContain('The shop');

    await page.getByRole('button', { name: /^Chat/ }).last().click();
    await page.getByRole('option', { name: 'Messages' }).click();
    model.play(builds);
    await say(tab, 'Again.');
    await page.getByText('Your bakery has a page.').nth(1).waitFor();
    expect(model.requests[0]?.path).toBe('/v1/messages');
    expect(tab.browserErrors).toEqual([]);
  });

  test('an owner tests a model on the page Organization, and reads in words what is wrong', async () => {
    const ada = await owner({ platform: platform.facts });
    const origin = platform.facts.origins[0] ?? '';
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    await tab.signInAs(ada, origin);
    await tab.goTo('/organization');
    model.play([{ status: 401 }]);
    await tab.page.getByRole('button', { name: 'Test Plain' }).click();
    await tab.page.getByText('Its provider refuses the key of this platform.').waitFor();
    model.play(({ text }) => (text.includes('Thank you') ? builds[1] : { calls: [{ name: 'report', input: { word: 'kiln' } }] }) ?? {});
    await tab.page.getByRole('button', { name: 'Test Plain' }).click();
    await tab.page.getByText('Can build sites').waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
  });

  test('the builder shows a member the credits that are left, and an embedded one does not', async () => {
    const ada = await owner({ platform: platform.facts });
    const origin = platform.facts.origins[0] ?? '';
    const { project } = (await ada.api.post('/account/build', { name: 'Bakery' })).expect(201).body;
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    await tab.signInAs(ada, origin);
    await tab.goTo(`/builder/${project.id}`);
    await tab.page.getByText('10 credits left').waitFor();
    model.play(builds);
    await say(tab, 'A page for my bakery.');
    await tab.page.getByText('7 credits left').waitFor();

    await using embedded = await builder();
    await embedded.page.getByRole('button', { name: /^Chat/ }).last().waitFor();
    expect(await embedded.page.getByText('credits left').count()).toBe(0);
  });

  test('a reload in mid-turn goes on where it was; without credit the builder says so, and the message is still there', async () => {
    await using tab = await builder();
    const { page } = tab;
    model.play([writes, { text: 'I begin', fails: 'hang' }]);
    await say(tab, 'A page for my bakery.');
    await model.untilRequested(2);
    await page.goto(`${page.url()}?again#token=${session.token}`);
    await page.getByText('A page for my bakery.').waitFor();
    await page.getByText('I begin').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('And another.');
    await session.api.post(`/projects/${session.project.id}/chat/stop`);
    await page.getByText('Stopped', { exact: true }).waitFor();

    do model.play(builds);
    while ((await sendChat(session, 'And another.').then(async (answer) => [answer.status, await answer.text()]))[0] === 200);
    await say(tab, 'One too many.');
    await page.getByRole('alert').getByText('There is not enough credit left').waitFor();
    await page.getByRole('tab', { name: 'Publish' }).click();
    await page.getByLabel('A domain of your own').fill('www.bakery-webkiln.com');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Add these records where you registered the domain:').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('One too many.');
    expect(await accessibilityViolations(tab)).toEqual([]);
  });
});

describe('the browser of the platform', () => {
  test('an invoice is a PDF of one page, for whoever has its link', async () => {
    const { api } = await agency(platform.facts);
    const plan = await makePlan(api, { price: 29 });
    await inviteClient(api, { plan_id: plan.id });
    const [order] = (await api.get('/orders')).expect(200).body.orders;
    const link = new URL(order.invoice_url);
    const response = await fetch(`${platform.facts.origins[0]}${link.pathname}/pdf`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const pdf = Buffer.from(await response.arrayBuffer()).toString('latin1');
    expect([pdf.startsWith('%PDF-'), pdf.match(/\/Type \/Page\b/g)?.length]).toEqual([true, 1]);
  });

  test('each deploy gets its own preview image, and a deleted project has none', async () => {
    await using person = await BrowserUser.open(browser());
    const { api, eventually } = await agency(platform.facts, { rateLimit: 100_000 });
    const { id } = await makeProject(api);
    const publish = async (color: string) => {
      const builtFiles = { 'index.html': `<body style="background: ${color}">` };
      return String((await api.post(`/projects/${id}/publish`, { builtFiles })).expect(200).body.deployId);
    };
    const imageOf = (deployId: string) =>
      eventually(async () => {
        const { preview_image_url: url } = (await api.get(`/projects/${id}`)).expect(200).body.project;
        expect(url).toContain(`/${id}/${deployId}.png`);
        return String(url);
      });
    /** Width and height of the image, as a page that shows it measures them. */
    const seen = async (url: string) => {
      await person.page.setContent(`<img src="${url}">`, { waitUntil: 'load' });
      return person.page.evaluate('[document.images[0].naturalWidth, document.images[0].naturalHeight]');
    };

    const first = await imageOf(await publish('red'));
    expect(await seen(first)).toEqual([1280, 800]);
    const second = await imageOf(await publish('green'));
    expect(await seen(second)).toEqual([1280, 800]);
    expect(await seen(second.replace(/png$/, 'webp'))).toEqual([960, 600]);
    (await api.delete(`/projects/${id}`)).expect(200);
    // Past the browser, which may keep the immutable image from a look before the deletion was handled.
    const [origin = ''] = platform.facts.origins;
    await eventually(async () => expect((await visit(origin, second)).status).toBe(404));
  });
});

describe('a trace', () => {
  test('one trace continues the caller’s and covers the gateway, gRPC, MongoDB, NATS and the consumer', async () => {
    const { api } = await agency(platform.facts);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    (await api.post('/clients', { email: 'traced@example.test' }, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })).expect(201);

    await eventually(() => {
      const steps = collector.spans.filter((span) => span.traceId === traceId).map(({ service, name }) => `${service}: ${name}`);
      expect(steps).toEqual(
        expect.arrayContaining([
          'gateway: POST /api/v1',
          'gateway: clients.CreateClient',
          'clients-plans: clients.CreateClient',
          expect.stringMatching(/^clients-plans: .*insert/),
          expect.stringMatching(/^clients-plans: publish/),
          'clients-plans: handle client.created',
        ]),
      );
    });
  });
});
