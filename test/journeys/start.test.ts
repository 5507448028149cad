import { once } from 'node:events';
import { readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { sessionCookie } from '@webkiln/contract';
import type { Demo } from '@webkiln/dev-platform';
import { processes } from '@webkiln/messages';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { visit } from '../harness/visitor.ts';
import { isAlive, type Run, StartCommand } from './start-command.ts';

jest.setTimeout(600_000);

const everyProcess = ['mongodb', 'nats', 'redis', ...Object.keys(processes)];
const pidsOf = ({ services }: { services: Readonly<Record<string, { pid: number }>> }) => Object.values(services).map(({ pid }) => pid);

/** Counts the records of the demo's first organization by kind. */
async function counts({ base_url, api_key }: Demo): Promise<Record<string, number>> {
  const api = new Api(base_url, api_key);
  const kinds = ['clients', 'plans', 'projects', 'templates'];
  const totals = kinds.map(async (kind) => [kind, (await api.get(`/${kind}`)).expect(200).body.total]);
  return Object.fromEntries(await Promise.all(totals));
}

const demoCounts = { clients: 2, plans: 1, projects: 1, templates: 1 };

test('npm start completes a killed first start: it ends orphaned processes and makes nothing twice, before its public address is reached', async () => {
  await using start = new StartCommand();
  // Nothing listens at this address, so the demo cannot be complete before the kill.
  await start.begin({ PROJECTS_TEMPLATES_ADDRESS: '127.0.0.1:9' });
  await eventually(() => expect(readdirSync(path.join(start.dataFolder, 'mail'))).not.toEqual([]));
  const left = pidsOf(start.run());
  await start.end('SIGKILL');
  expect(start.hasFile('demo.json')).toBe(false);

  // Every write of this log fails as on a full disk.
  const log = path.join(start.dataFolder, 'logs/identity.log');
  rmSync(log);
  symlinkSync('/dev/full', log);
  // The demo is made at the gateway's own address: nothing answers at the public one yet.
  await start.begin({ ORIGIN: 'https://app.webkiln.invalid', LOG_LEVEL: 'info' });
  const { demo, run } = await start.waitUntilReady();
  expect(demo.base_url).toBe('https://app.webkiln.invalid/api/v1');
  expect(await counts({ ...demo, base_url: `http://localhost:${run.services.gateway?.port}/api/v1` })).toEqual(demoCounts);
  expect(left.filter(isAlive)).toEqual([]);
  expect(start.output).toMatch(/^disk +is full at .*Free at least 500 MB there$/m);
  expect(start.output).not.toContain('ENOSPC');

  // Over https every cookie stays bound to its host and to TLS, also for a caller at the machine's own address.
  const signedIn = await fetch(`http://localhost:${run.services.gateway?.port}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://app.webkiln.invalid', 'user-agent': 'Version/26.1 Safari/605.1.15' },
    body: JSON.stringify({ email: demo.member.email, password: demo.member.password }),
  });
  expect([signedIn.status, signedIn.headers.getSetCookie()]).toEqual([200, [sessionCookie, '__Host-webkiln_devices'].map(strict)]);
});

const strict = (name: string) =>
  expect.stringMatching(new RegExp(`^${name}=(?=.*; HttpOnly)(?=.*; Secure)(?=.*; SameSite=Lax)(?=.*; Path=/)(?!.*Domain)`));

describe('a platform that npm start has started', () => {
  const start = new StartCommand();
  let run: Run;
  let demo: Demo;
  beforeAll(async () => {
    await start.begin();
    ({ run, demo } = await start.waitUntilReady());
  });
  afterAll(() => start[Symbol.asyncDispose]());

  test('npm start makes a demo, runs one process per service, stops them all, and continues with the same state', async () => {
    expect(Object.keys(run.services).sort()).toEqual([...everyProcess].sort());
    expect(new Set(pidsOf(run)).size).toBe(everyProcess.length);
    expect(statSync(path.join(start.dataFolder, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(await counts(demo)).toEqual(demoCounts);
    for (const shown of [
      demo.origin,
      String(demo.site_url),
      demo.member.email,
      demo.member.password,
      `Bearer ${demo.api_key}`,
      demo.embed.allowed_origin,
    ])
      expect(start.output).toContain(shown);

    expect(await start.end('SIGINT')).toEqual({ code: 0, signal: null });
    expect(pidsOf(run).filter(isAlive)).toEqual([]);
    expect(start.hasFile('run.json')).toBe(false);

    await start.begin();
    const again = await start.waitUntilReady();
    const elsewhere = { origin: '', base_url: '', site_url: '', embed: {} };
    expect({ ...again.demo, ...elsewhere }).toEqual({ ...demo, ...elsewhere });
    for (const { origin, site_url } of [demo, again.demo]) expect(new URL(String(site_url)).port).toBe(new URL(origin).port);
    expect(await counts(again.demo)).toEqual(demoCounts);
    ({ run, demo } = again);
  });

  test('the demo has clients, a plan, files, a published site, limited keys and a second organization', async () => {
    const [api, readOnly, writeOnly, other] = [demo.api_key, demo.read_only_key, demo.write_only_key, demo.other_org.api_key].map(
      (key) => new Api(demo.base_url, key),
    ) as [Api, Api, Api, Api];
    const { clients } = (await readOnly.get('/clients')).expect(200).body;
    const statuses = Object.fromEntries(clients.map((client: { email: string; status: string }) => [client.email, client.status]));
    expect(statuses).toEqual({ [demo.client_email]: 'active', [demo.invited_client_email]: 'invited' });
    const plan = { max_sites: 100, can_use_custom_domain: true, can_export_code: true };
    expect((await api.get(`/plans/${demo.plan_id}`)).expect(200).body.plan).toMatchObject(plan);
    expect(clients.find(({ status }: { status: string }) => status === 'active').plan_id).toBe(demo.plan_id);
    for (const owner of [`/projects/${demo.project_id}`, `/templates/${demo.template_id}`]) {
      const { files } = (await api.get(`${owner}/files`)).expect(200).body;
      expect(files.map((file: { path: string }) => file.path)).toEqual(
        expect.arrayContaining(['index.html', 'menu.html', 'style.css', 'visit.html']),
      );
    }
    const { published_url } = (await api.get(`/projects/${demo.project_id}`)).expect(200).body.project;
    expect(published_url).toBe(demo.site_url);
    await eventually(async () => expect((await visit(demo.origin, `${published_url}/visit`)).text).toContain('action="/_forms/order"'));
    (await writeOnly.get('/clients')).expect(403);
    (await readOnly.post('/clients', {})).expect(403);
    (await other.get(`/projects/${demo.other_org.project_id}`)).expect(200);
    (await other.get(`/clients/${demo.other_org.client_id}`)).expect(200);
    (await other.get(`/projects/${demo.project_id}`)).expect(404);
  });

  test("the example page opens the builder for the demo's client, with a token that reaches its projects alone", async () => {
    const { allowed_origin, client_secret } = demo.embed;
    const page = await (await fetch(allowed_origin)).text();
    expect(page).toContain(`<script src="${demo.origin}/embed.js"></script>`);
    const headers = { 'content-type': 'application/json' };
    const opened = await fetch(`${allowed_origin}/builder`, { method: 'POST', headers, body: '{}' });
    const text = await opened.text();
    expect([opened.status, page.includes(client_secret), text.includes(client_secret)]).toEqual([201, false, false]);
    const { origin, pathname, hash } = new URL(JSON.parse(text).builder_url);
    expect([origin, pathname]).toEqual([demo.origin, `/builder/${demo.project_id}`]);
    const api = new Api(demo.base_url, hash.replace('#token=', ''));
    (await api.get(`/projects/${demo.project_id}`)).expect(200);
    (await api.get(`/projects/${demo.other_org.project_id}`)).expect(404);
    expect((await fetch(`${allowed_origin}/builder`, { method: 'POST', body: '{}' })).status).toBe(415);
  });

  test('a second start in the same folder, a port in use and a wrong setting each exit with one message', async () => {
    await using other = new StartCommand();
    const refusal = async (env: NodeJS.ProcessEnv) => {
      // 'close' comes after the last output; 'exit' can come before it.
      const [code] = await once(await other.begin(env), 'close');
      return [code, other.output.trim()];
    };
    const { port } = run.services.gateway ?? {};
    expect(await refusal({ DATA_DIR: start.dataFolder })).toEqual([
      1,
      expect.stringContaining(`already in ${start.dataFolder} at ${run.origin}`),
    ]);
    expect(await refusal({ PORT: String(port) })).toEqual([
      1,
      expect.stringContaining(`Port ${port} is taken by another program: set PORT`),
    ]);
    expect(await refusal({ ORIGIN: 'http://192.168.1.20:8080' })).toEqual([
      1,
      expect.stringMatching(/^ {2}ORIGIN must be https, or http at localhost/m),
    ]);
    expect(await refusal({ MONGODB_URL: 'localhost' })).toEqual([1, expect.stringMatching(/^ {2}MONGODB_URL must be a URL/m)]);
    // Wrong settings of processes are found before any of them starts, and all at once.
    expect(await refusal({ RATE_LIMIT: '-5', MAIL_FROM: 'nobody', EVENTS_REPLICAS: '2' })).toEqual([
      1,
      [
        'The configuration in the environment needs correcting:',
        '  EVENTS_REPLICAS must be 1, 3 or 5',
        '  RATE_LIMIT must be a whole number of at least 1',
        '  MAIL_FROM must be one mailbox, as in "Kiln Studio <hello@example.com>"',
      ].join('\n'),
    ]);
  });

  test('a killed service or store is named in the output and restarts on its port', async () => {
    const api = new Api(demo.base_url, demo.api_key);
    for (const name of ['identity', 'redis', 'gateway', 'mongodb']) {
      const { pid = 0, port } = run.services[name] ?? {};
      process.kill(pid, 'SIGKILL');
      await eventually(() => expect(start.run().services[name]?.pid).not.toBe(pid));
      expect(start.run().services[name]?.port).toBe(port);
      await eventually(async () => (await api.get(`/projects/${demo.project_id}`)).expect(200));
      expect(start.output).toMatch(new RegExp(`${name} +ended unexpectedly \\(SIGKILL\\)`));
    }
  });
});
