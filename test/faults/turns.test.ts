import { agentToolNames, type CreditEntry, type Project } from '@webkiln/contract';
import { withinOneDay } from '@webkiln/store/testing';
import { connect } from 'nats';
import type { ModelAnswer } from '../../services/embed/src/testing/model-answer.ts';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { chat, onceSaid, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import type { OfficialAgent } from '../harness/official-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { PythonAgent } from '../harness/python-agent.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { TypeScriptAgent } from '../harness/typescript-agent.ts';
import { BuilderTab } from './runs/outages/builder-tab.ts';
import { Random } from './runs/random.ts';
import { type EndingTurn, TurnEndings } from './runs/turns/turn-endings.ts';

const browser = useBrowser();

/** Every request of the test comes from one address, and a person asks more often than people do. */
const manyRequests = { RATE_LIMIT: '10000', SESSION_RATE_LIMIT: '1000000' };

jest.setTimeout(1_800_000);

let model: ModelServer;
let platform: TestPlatform;
let ada: Person;
beforeAll(async () => {
  model = await ModelServer.start();
  const env = { ...manyRequests, MODEL_PROVIDERS: scriptedProviders(model.url), SIGN_UP_CREDITS: '1000000' };
  platform = await startPlatform({ gateways: 2, env });
  ada = await owner({ platform: platform.facts });
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

describe('a turn', () => {
  const home = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
  const writes = { calls: [{ name: 'write_file', input: { path: 'index.html', content: home } }] };
  const session = async () => ({ api: ada.api, project: await makeProject(ada.api) });
  type Session = Awaited<ReturnType<typeof session>>;
  const lastMessage = async ({ project }: Session) =>
    (await ada.api.get(`/projects/${project.id}/chat/messages`)).expect(200).body.messages.at(-1);
  const files = async ({ project }: Session) => (await ada.api.get(`/projects/${project.id}/files`)).expect(200).body.files;
  const resumed = ({ api, project }: Session, headers = {}) => api.raw(`/projects/${project.id}/chat/stream`, { headers });

  const words = 'I have put the bakery on a page of its own. Next come the opening hours';

  /** A turn that has written a file and said the words, if any, and waits for its model. */
  async function turnInTheMiddle(said = ''): Promise<Session & { readonly stream: Response }> {
    const ours = await session();
    model.play([writes, { text: said, fails: 'hang' }]);
    const stream = await sendChat(ours, 'Build a page for my bakery.');
    await model.untilRequested(2);
    return { ...ours, stream: await onceSaid(stream, said) };
  }

  test('kill -9 of embed in mid-turn: the stream ends with an error, the words stay, the draft is as before, the next turn works', async () => {
    const ours = await turnInTheMiddle(words);
    await platform.replace('embed');
    const parts = await partsOf(ours.stream);
    expect(parts.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('interrupted') });
    expect(textOf(parts)).toBe(words);
    expect(await lastMessage(ours)).toMatchObject({ state: 'interrupted', text: words, files: [], revision_id: null });
    expect(await files(ours)).toEqual([]);
    model.play([writes, { text: 'Your bakery has a page.' }]);
    expect(textOf(await chat(ours, 'Build it.'))).toBe('Your bakery has a page.');
  });

  test('a turn goes on without its caller: another stream has all of its parts, or those after the last one seen', async () => {
    const ours = await turnInTheMiddle();
    const reload = await resumed(ours);
    expect(reload.status).toBe(200);
    (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    const parts = await partsOf(ours.stream);
    expect(await partsOf(reload)).toEqual(parts);
    expect(parts.at(-1)).toMatchObject({ type: 'abort' });
    expect((await resumed(ours)).status).toBe(204);
  });

  test('a stream that breaks off with its gateway continues at another, after the part that was seen last', async () => {
    const ours = await turnInTheMiddle();
    const reader = ours.stream.body?.getReader();
    const seen = new TextDecoder().decode((await reader?.read())?.value);
    const id = Number(/^id: (\d+)/.exec(seen)?.[1]);
    await reader?.cancel();
    const rest = await resumed(ours, { 'last-event-id': String(id) });
    const { stopped } = (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200).body;
    expect(stopped).toBe(true);
    const parts = await partsOf(rest);
    expect(parts[0]?.id).toBeGreaterThan(id);
    expect(parts.at(-1)).toMatchObject({ type: 'abort' });
  });

  test('a gateway that stops ends its streams without [DONE]: the rest is at another gateway, also when the turn has ended meanwhile', async () => {
    const ours = await turnInTheMiddle();
    const replaced = platform.replace('gateway', 'SIGTERM');
    const seen = await ours.stream.text();
    expect(seen).not.toContain('[DONE]');
    const elsewhere = { ...ours, api: new Api(`${platform.facts.origins[1]}/api/v1`, undefined, ada.headers()) };
    (await elsewhere.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    const ids = [...seen.matchAll(/^id: (\d+)/gm)].map(([, id = '']) => id);
    const after = async (id = '') => (await resumed(elsewhere, { 'last-event-id': id })).text();
    const first = `${seen.split('\n\n')[0]}\n\n`;
    expect(seen + (await after(ids.at(-1)))).toBe(first + (await after(ids[0])));
    expect(await after(ids.at(-1))).toContain('"type":"abort"');
    await replaced;
  });

  test('a stopped turn changes no file, and the next message is admitted at once', async () => {
    const ours = await turnInTheMiddle();
    (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    model.play([writes, { text: 'Your bakery has a page.' }]);
    expect((await chat(ours, 'Build it.')).at(-1)).toMatchObject({ type: 'finish' });
    expect((await lastMessage(ours)).state).toBe('done');
  });

  test('while a turn runs a second message and its own Idempotency-Key are answered 409', async () => {
    const ours = await session();
    model.play([writes, { fails: 'hang' }]);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const stream = await sendChat(ours, 'Build it.', headers);
    await model.untilRequested(2);
    const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
    expect(await refusal(await sendChat(ours, 'And this.'))).toEqual([409, 'turn_running']);
    expect(await refusal(await sendChat(ours, 'Build it.', headers))).toEqual([409, 'request_in_flight']);
    (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    expect((await partsOf(stream)).at(-1)).toMatchObject({ type: 'abort' });
  });

  test('NATS restarts in mid-turn: the open stream goes on after the part that it sent last, and ends', async () => {
    const ours = await turnInTheMiddle();
    await platform.replace('nats');
    (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    const parts = await partsOf(ours.stream);
    expect(parts.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(parts.at(-1)).toMatchObject({ type: 'abort' });
  });

  test('a repeated message whose parts are not kept any more is answered from the record of its turn', async () => {
    const ours = await session();
    model.play([writes, { text: 'Your bakery has a page.' }]);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await partsOf(await sendChat(ours, 'Build it.', headers));
    await forgetParts();
    const again = await partsOf(await sendChat(ours, 'Build it.', headers));
    expect(textOf(again)).toBe('Your bakery has a page.');
    const { id: _, ...last } = again.at(-1) ?? { id: 0 };
    expect(first.at(-1)).toMatchObject(last);
  });

  test('more streams of one person than are allowed are answered 429, and other requests still get through', async () => {
    const ours = await turnInTheMiddle();
    const streams = await Promise.all(Array.from({ length: 31 }, () => resumed(ours)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await resumed(ours);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'too_many_in_flight' }]);
    (await ada.api.post(`/projects/${ours.project.id}/chat/stop`)).expect(200);
    for (const stream of [ours.stream, ...streams]) expect((await partsOf(stream)).at(-1)).toMatchObject({ type: 'abort' });
  });

  test('kill -9 of embed, seen in Chromium: open, reloaded and new builders go on by themselves, "Stopped" is shown, no message is lost', async () => {
    const ours = await session();
    const embedded = await openEmbedSession(await embedPair(ada), {}, {}, platform.facts);
    const builder = (viewport = { width: 1280, height: 800 }) => BuilderTab.open(browser(), platform.facts.origins[0] ?? '', viewport);
    await using open = await builder();
    await using reloaded = await builder({ width: 390, height: 780 });
    await using opened = await builder();

    model.play([writes, { text: words, fails: 'hang' }]);
    for (const tab of [open, reloaded]) await tab.openAs(ada, ours.project);
    await open.say('Build a page for my bakery.');
    await open.page.getByText(words).waitFor();
    await platform.stopProcess('embed', 'SIGKILL');
    await platform.replace('gateway');
    await reloaded.page.reload();
    await opened.page.goto(embedded.builder_url);
    for (const tab of [open, reloaded, opened]) await tab.tryAgainInVain();
    expect(await open.say('Add the opening hours.')).toBe(503);
    await platform.startProcess('embed');
    await opened.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
    for (const { page } of [open, reloaded]) {
      await page.getByText('Stopped', { exact: true }).waitFor();
      expect(await page.getByText(words).count()).toBe(1);
    }
    model.play([writes, { text: 'Your bakery has opening hours.' }]);
    await open.page.getByRole('button', { name: 'Send' }).click();
    await open.page.getByText('Your bakery has opening hours.').waitFor();
    expect(model.requests[0]?.text).toContain('Add the opening hours.');
  });

  test('kill -9 of embed while NATS is away: the turn ends all the same, without its words', async () => {
    const ours = await turnInTheMiddle(words);
    await platform.stopProcess('nats');
    try {
      await platform.replace('embed');
      expect((await partsOf(ours.stream)).at(-1)).toMatchObject({ type: 'error' });
      expect(await lastMessage(ours)).toMatchObject({ state: 'interrupted', text: expect.stringContaining('interrupted on our side') });
    } finally {
      await platform.startProcess('nats');
    }
  });

  /** As if the hour in which parts are kept were over. */
  async function forgetParts(): Promise<void> {
    const connection = await connect({ servers: platform.facts.urls.NATS_URL });
    const { streams } = await connection.jetstreamManager();
    for await (const { config } of streams.list()) if (config.name.endsWith('TURNS')) await streams.purge(config.name);
    await connection.close();
  }
});

describe('credits', () => {
  let payer: Person;
  beforeAll(async () => {
    // What is free is counted per day.
    await withinOneDay(600_000);
    payer = await owner({ platform: platform.facts });
  });

  /** `PAID_TURNS=1000` runs as many as the promise names. */
  const turnCount = Number(process.env.PAID_TURNS ?? 60);
  const killEvery = Math.ceil(turnCount / 3);
  const atOnce = 6;
  const edited = () => ({ builtFiles: { 'index.html': `<h1>${crypto.randomUUID()}</h1>` } });

  /** Sends a message until its turn has ended, with one key, also through processes that die. */
  async function turnWithRetries(turn: EndingTurn, random: Random): Promise<void> {
    const { project, message, ending } = turn;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const send = () => sendChat({ api: payer.api, project } as Parameters<typeof sendChat>[0], message, headers);
    await eventually(async () => {
      const response = await send();
      const text = await response.text();
      // The messages of a deleted project are not there any more.
      if (ending.meanwhile === 'deleteProject' && turn.isMeanwhileDone) return;
      if (response.status !== 200 || !text.trimEnd().endsWith('[DONE]')) throw new Error(`${response.status} ${text.slice(-200)}`);
      // The answer was lost, and the program sends the message again.
      if (random.next() < 0.2) await (await send()).text();
    });
  }

  /** The id and the state of the latest turn of a project; undefined if the project is deleted. */
  const endOf = async ({ project, message }: EndingTurn): Promise<{ turn_id: string; state: string } | undefined> =>
    eventually(async () => {
      const { status, body } = await payer.api.get(`/projects/${project.id}/chat/messages`);
      if (status === 404) return undefined;
      const [asked, answered] = body.messages.slice(-2);
      expect(asked.text).toBe(message);
      return answered;
    });

  /** The whole ledger, oldest line first. */
  async function ledger(): Promise<CreditEntry[]> {
    const entries: CreditEntry[] = [];
    for (;;) {
      const { body } = (await payer.api.get(`/account/credits?limit=100&offset=${entries.length}`)).expect(200);
      entries.push(...body.entries);
      if (entries.length >= body.total) return entries.reverse();
    }
  }

  test('turns with every end, kills and repeats: what the provider was asked for is paid, or was its own failure, and is paid once', async () => {
    const { api } = payer;
    const random = new Random(turnCount);
    const endings = new TurnEndings(random, {
      stop: ({ id }) => eventually(async () => (await api.post(`/projects/${id}/chat/stop`)).expect(200)),
      edit: ({ id }) => eventually(async () => (await api.post(`/projects/${id}/publish`, edited())).expect(200)),
      deleteProject: ({ id }) => eventually(async () => (await api.delete(`/projects/${id}`)).expect(200)),
    });
    model.play(endings.script);
    const ends = new Map<EndingTurn, { turn_id?: string; state: string }>();
    let begun = 0;
    /** Odd while embed is killed and starts again. */
    let kills = 0;
    const kill = async () => {
      kills++;
      await platform.replace('embed');
      kills++;
    };
    const work = async (project: Project) => {
      while (begun < turnCount) {
        const killsBefore = kills;
        if (++begun % killEvery === 0) void kill();
        const turn = await endings.next(project, () => makeProject(api));
        await turnWithRetries(turn, random);
        ends.set(turn, (await endOf(turn)) ?? { state: kills > killsBefore || kills % 2 === 1 ? 'deleted beside a kill' : 'deleted' });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, async () => work(await makeProject(api))));
    await eventually(async () => expect((await api.get('/account/credits')).expect(200).body.reserved).toBe(0));

    const { balance } = (await api.get('/account/credits')).expect(200).body;
    const entries = await ledger();
    let sum = 0;
    for (const entry of entries) {
      sum += entry.amount;
      expect(entry.balance).toBe(sum);
    }
    expect(balance).toBe(sum);

    const ofTurns = Map.groupBy(
      entries.filter(({ turn_id }) => turn_id !== null),
      ({ turn_id }) => turn_id ?? '',
    );
    expect(ofTurns.size).toBe(turnCount);
    const failed = { least: 0, most: 0, paid: 0, rounding: 0 };
    for (const turn of endings.turns) {
      const { turn_id, state = '' } = ends.get(turn) ?? {};
      const lines =
        [...ofTurns.values()].find(([line]) => (turn_id ? line?.turn_id === turn_id : line?.project_id === turn.project.id)) ?? [];
      const cost = lines.reduce((total, { amount }) => total - amount, 0);
      const { isFree = false, answers } = turn.ending;
      const what = [turn.message, state, answers.at(-1)];
      expect([what, lines.map(({ kind }) => kind)]).toEqual([what, ['reserved', cost === 0 ? 'returned' : 'settled']]);
      // A killed process leaves what it had saved: nothing, or all that the turn has spent.
      const wasKilled = state === 'interrupted' || state === 'deleted beside a kill';
      const { least, most } = wasKilled ? { least: 0, most: turn.tokens.most } : turn.tokens;
      expect([what, cost]).toEqual([what, Math.min(cost, Math.ceil(most / 1_000))]);
      if (!isFree) expect([what, cost]).toEqual([what, Math.max(cost, Math.ceil(least / 1_000))]);
      if (!isFree && !wasKilled) continue;
      failed.least += least;
      failed.most += most;
      failed.paid += cost * 1_000;
      if (most > least) failed.rounding += 999;
    }
    // What the provider and killed processes failed of was free up to the bound of a day, and all the rest is paid.
    const unpaidDaily = 500_000;
    expect(failed.least).toBeGreaterThan(unpaidDaily);
    expect(failed.paid + unpaidDaily).toBeGreaterThanOrEqual(failed.least);
    expect(failed.paid - failed.rounding + unpaidDaily).toBeLessThanOrEqual(failed.most);
    const states = [...ends.values()].map(({ state }) => state);
    expect(states).toEqual(expect.arrayContaining(['done', 'failed', 'stopped', 'deleted']));
  });

  const writes = { calls: [{ name: 'write_file', input: { path: 'index.html', content: '<h1>Bakery</h1>' } }] };
  const refusal = { text: 'I cannot.', finish: 'content_filter' };
  const badCall = { calls: [{ name: 'write_file', input: { path: 7 } }] };
  const balanceOf = async ({ api }: Person) => (await api.get('/account/credits')).expect(200).body.balance;

  test.each<[string, (project: Project) => Promise<ModelAnswer>]>([
    ['the model refuses', async () => refusal],
    ['the model calls its tools wrongly', async () => badCall],
    [
      'the draft is changed meanwhile',
      async ({ id }) => {
        (await ada.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Meanwhile' } })).expect(200);
        return { text: 'Your bakery has a page.' };
      },
    ],
    ['the request is too long for the model', async () => ({ status: 400, body: { error: { message: 'maximum context length' } } })],
  ])('a turn that ends without a change because %s costs the tokens that the provider has counted', async (_name, next) => {
    const project = await makeProject(ada.api);
    const before = await balanceOf(ada);
    let counted = 0;
    model.play(async (_request, number) => {
      const answer: ModelAnswer = number === 0 ? writes : await next(project);
      if (answer.status === undefined) counted += 1_200;
      return answer;
    });
    const parts = await chat({ api: ada.api, project }, 'Build it.');
    expect(parts.at(-1)).toMatchObject({ type: 'error' });
    const credits = Math.ceil(counted / 1_000);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'data-usage', data: { credits, balance: before - credits } }));
  });

  test('a project that is deleted in mid-turn stops its turn, which costs what it has spent', async () => {
    const project = await makeProject(ada.api);
    const before = await balanceOf(ada);
    model.play([writes, { text: 'I beg', fails: 'hang' }]);
    const stream = await sendChat({ api: ada.api, project }, 'Build it.');
    await model.untilRequested(2);
    (await ada.api.delete(`/projects/${project.id}`)).expect(200);
    await stream.text();
    await eventually(async () => expect((await ada.api.get('/account/credits')).expect(200).body.reserved).toBe(0));
    // The first answer's 1,200 tokens, and those of the second until then.
    expect(before - (await balanceOf(ada))).toBeGreaterThanOrEqual(2);
  });

  test('failures of the provider are free up to 500,000 tokens of a day and organization; beyond them they are paid for', async () => {
    const bob = await owner({ platform: platform.facts });
    const chatting = { api: bob.api, project: await makeProject(bob.api) };
    const reads = { calls: [{ name: 'list_files', input: {} }], usage: { input: 90_000, output: 0 } };
    const costs: unknown[] = [];
    for (const _ of Array(7)) {
      model.play([reads, { status: 500 }]);
      costs.push((await chat(chatting, 'Build it.')).find(({ type }) => type === 'data-usage')?.data);
    }
    expect(costs).toMatchObject([0, 0, 0, 0, 0, 40, 90].map((credits) => ({ credits })));
  });
});

describe('an undo of what an agent changed', () => {
  test('kill -9 of mcp in its middle: until then another one is told that it runs, and the next one ends it as a whole, nothing twice', async () => {
    const { facts } = platform;
    const { api } = await owner({ platform: facts });
    (await api.patch('/account/agent-access', { can_build: true })).expect(200);
    const { secret } = (await api.post('/account/keys', { name: 'agent', permissions: ['read', 'write'] })).expect(201).body;
    const agent = new Agent(secret, { origin: facts.origins[0] ?? '', query: '?toolsets=sites,webhooks' });
    const { id: project_id } = await makeProject(api);
    (await api.put(`/projects/${project_id}/files/index.html`, { file: 'before' })).expect(200);
    const records = async () =>
      Promise.all([`/projects/${project_id}/files`, '/webhooks'].map(async (path) => (await api.get(path)).expect(200).body));
    const before = await records();
    await eventually(() => agent.use('create_webhook', { url: 'https://hooks.example.com/in', events: ['form.submitted'] }));
    await agent.use('write_files', { project_id, files: [{ path: 'index.html', content: 'after' }] });
    const session = async () => (await api.get('/account/agents/sessions')).expect(200).body.sessions[0];
    const { id } = await session();
    const undo = () => api.post(`/account/agents/sessions/${id}/undo`, {});

    platform.signal('webhooks', 'SIGSTOP');
    const cutOff = undo().catch(() => undefined);
    try {
      await eventually(async () => expect((await session()).changes[1].state).toBe('undone'));
      (await undo()).expect(409, 'undo_running');
      await platform.replace('mcp');
    } finally {
      platform.signal('webhooks', 'SIGCONT');
    }
    const ended = await eventually(async () => (await undo()).expect(200).body.session);
    await cutOff;
    expect(ended.changes.map(({ state }: { state: string }) => state)).toEqual(['undone', 'undone']);
    expect(await records()).toEqual(before);
    const { revisions } = (await api.get(`/projects/${project_id}/revisions`)).expect(200).body;
    expect(revisions.map(({ origin }: { origin: string }) => origin)).toEqual(['restore', 'upload', 'upload']);
    await eventually(async () => {
      const { entries } = (await api.get('/account/audit')).expect(200).body;
      expect(entries.filter(({ action }: { action: string }) => action === 'agents.undone')).toHaveLength(1);
    });
  });
});

describe('a connected agent', () => {
  test('a call without a token answers 401 and says where the metadata of the resource is', async () => {
    const [origin] = platform.facts.origins;
    const { headers } = (await new Agent(undefined, { origin }).ask('tools/call', { name: 'list_plans', arguments: {} })).expect(401);
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`);
  });

  /** A person signs in on the page that an agent has opened, and allows it. */
  async function allow(address: string | undefined, person: Person): Promise<void> {
    await using user = await BrowserUser.open(browser(), { javaScriptEnabled: false });
    const { page } = user;
    await page.goto(String(address));
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Official agent').first().waitFor();
    await page.getByText('127.0.0.1').waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
  }

  const calls = async (agent: OfficialAgent) => expect(await agent.call()).toBeUndefined();

  /** An agent of a client library, and the person whom it works for. */
  async function connected(official: typeof TypeScriptAgent | typeof PythonAgent, parts: AsyncDisposableStack) {
    const person = await owner({ platform: platform.facts });
    const agent: OfficialAgent = parts.use(await official.start(`${platform.facts.origins[0]}/api/mcp`));
    expect(await agent.listTools()).toEqual(agentToolNames);
    await allow(await agent.call(), person);
    await agent.finishSignIn();
    await calls(agent);
    return { person, agent };
  }

  test('agents that know only the address list tools, sign their person in, work on after every process was killed, renew their tokens, and end when disconnected (official TypeScript and Python clients)', async () => {
    await using parts = new AsyncDisposableStack();
    const all = await Promise.all([connected(TypeScriptAgent, parts), connected(PythonAgent, parts)]);

    for (const name of platform.platform.processes.keys()) await platform.replace(name);
    for (const { person, agent } of all) {
      await eventually(() => calls(agent));

      // The person is not asked again.
      const before = agent.refreshToken();
      await agent.expire();
      await calls(agent);
      expect(agent.refreshToken()).not.toBe(before);
      await agent.restart();
      await calls(agent);

      const { agents } = (await person.api.get('/account/agents')).expect(200).body;
      expect(agents).toMatchObject([
        { client_name: 'Official agent', redirect_host: expect.stringContaining('127.0.0.1'), scopes: ['mcp'] },
      ]);
      (await person.api.delete(`/account/agents/${agents[0].id}`)).expect(200);
      await eventually(async () => expect(await agent.call()).toContain('/oauth/authorize?'));
      expect((await person.api.get('/account/agents')).expect(200).body.agents).toEqual([]);
    }
  });
});
