import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyWebhook } from '@webkiln/sdk';
import { type Agency, agency } from '../harness/agency.ts';
import { owner } from '../harness/person.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeProject, makeWebhook, someEmail } from './fixtures.ts';

const program = path.resolve(__dirname, '../../sdk/cli/src/main.ts');
const mb = 1024 * 1024;

let ours: Agency;
let origin: string;
let home: string;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 10_000 });
  origin = new URL(ours.api.baseUrl).origin;
  home = await mkdtemp(path.join(tmpdir(), 'webkiln-home-'));
});
afterAll(() => rm(home, { recursive: true }));

const folder = () => mkdtemp(path.join(home, 'site-'));

/** A run of the agencies' command line, in a folder of its own user. */
class Run {
  out = '';
  err = '';
  readonly child: ChildProcess;

  constructor(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const settings = { WEBKILN_API_KEY: ours.api.key, WEBKILN_BASE_URL: origin, XDG_CONFIG_HOME: home };
    this.child = spawn(process.execPath, [program, ...words], { cwd, env: { PATH, NODE_COMPILE_CACHE, ...settings, ...env } });
    this.child.stdout?.on('data', (text) => (this.out += text));
    this.child.stderr?.on('data', (text) => (this.err += text));
  }

  async end(input = '') {
    this.child.stdin?.end(input);
    const [code] = await once(this.child, 'close');
    return { code, out: this.out.trim(), err: this.err.trim() };
  }
}

const webkiln = (words: readonly string[], cwd = home, env: NodeJS.ProcessEnv = {}) => new Run(words, cwd, env).end();

/** A way to the platform that counts the bytes which are sent, and tells when there are many. */
async function meter(manyBytes: number) {
  const sent = { bytes: 0 };
  const many = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(origin).port), '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => one.destroy());
    }
    socket.on('data', (chunk) => {
      sent.bytes += chunk.length;
      if (sent.bytes > manyBytes) many.resolve();
    });
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    many: many.promise,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('deploy: 2,000 files of 25 MB that are interrupted in the middle leave nothing half; the repeat sends all, the next one the file that changed', async () => {
  const { id } = await makeProject(ours.api);
  const site = await folder();
  const page = 'x'.repeat(Math.floor((25 * mb) / 2000) - 20);
  for (let number = 1; number < 2000; number += 1) await writeFile(path.join(site, `${number}.html`), `${number} ${page}`);
  await writeFile(path.join(site, 'index.html'), page);
  using line = await meter(10 * mb);
  const deploy = ['deploy', site, '--project', id, '--url', line.url, '--json'];
  const interrupted = new Run(deploy, home);
  await line.many;
  interrupted.child.kill('SIGINT');
  expect(await interrupted.end()).toMatchObject({ code: 130, out: '', err: expect.stringMatching(/Interrupted\.$/) });
  expect((await ours.api.get(`/projects/${id}/files`)).expect(200).body.files).toEqual([]);
  expect((await ours.api.get(`/projects/${id}`)).expect(200).body.project.published_url).toBeNull();

  const deployed = async () => {
    const { code, out, err } = await webkiln(deploy);
    expect([code, err]).toEqual([0, expect.any(String)]);
    return JSON.parse(out);
  };
  expect(await deployed()).toMatchObject({ files: 2000, sent: 2000 });
  await writeFile(path.join(site, '7.html'), 'changed');
  line.sent.bytes = 0;
  expect(await deployed()).toMatchObject({ files: 2000, sent: 1 });
  // A path and a digest of each file.
  expect(line.sent.bytes).toBeLessThan(2000 * 110);
  expect(await (await ours.api.raw(`/projects/${id}/files/7.html`)).text()).toBe('changed');
});

test('login, init: the key, which may be of this project alone, is stored for its user, and the project beside the sources; then deploy, open and pull need no words', async () => {
  const { api } = await owner();
  const { id, name } = await makeProject(api);
  const limited = { name: 'CI', permissions: ['read', 'write'], project_id: id };
  const { secret } = (await api.post('/account/keys', limited)).expect(201).body;
  const [sources, pulled] = [await folder(), await folder()];
  const user = { XDG_CONFIG_HOME: path.join(sources, 'config'), WEBKILN_API_KEY: undefined, WEBKILN_BASE_URL: undefined };
  const run = (...words: string[]) => webkiln(words, sources, user);
  expect(await run('deploy', '--url', origin)).toMatchObject({ code: 1, err: expect.stringContaining('run "webkiln login"') });
  const login = (key: string) => new Run(['login', '--url', origin], sources, user).end(key);
  expect(await login('wk_wrong')).toMatchObject({ code: 1, err: expect.stringContaining('key') });
  expect(await login(`${secret}\n`)).toMatchObject({ code: 0, out: expect.stringContaining(`Signed in to ${origin}`) });
  expect((await stat(path.join(sources, 'config/webkiln/login.json'))).mode & 0o777).toBe(0o600);
  expect(await run('init')).toMatchObject({ code: 2 });
  expect(await run('init', '--project', id, '--folder', 'public')).toMatchObject({ code: 0, out: expect.stringContaining(name) });
  await mkdir(path.join(sources, 'public/a'), { recursive: true });
  await writeFile(path.join(sources, 'public/index.html'), 'one');
  await writeFile(path.join(sources, 'public/a/b.txt'), 'b');
  await writeFile(path.join(sources, 'public/.DS_Store'), 'litter');

  const previewed = await run('deploy', '--preview');
  expect(previewed).toMatchObject({ code: 0, err: expect.stringContaining('2 of 2 files') });
  expect(await run('open')).toMatchObject({ code: 1, err: expect.stringContaining('is not published') });
  const published = await run('deploy', '--message', 'Opening');
  const { published_url } = (await api.get(`/projects/${id}`)).expect(200).body.project;
  expect(published).toMatchObject({ code: 0, out: published_url, err: expect.stringContaining('0 of 2 files') });
  expect(await run('open')).toMatchObject({ code: 0, out: published_url });

  expect(await run('pull', pulled, '--live')).toMatchObject({ code: 0, out: '2 files, 2 of them written.' });
  expect(await readFile(path.join(pulled, 'a/b.txt'), 'utf8')).toBe('b');
  await writeFile(path.join(pulled, 'index.html'), 'mine');
  expect(await run('pull', pulled)).toMatchObject({ code: 1, err: expect.stringContaining('index.html differs: add --force') });
  expect(await readFile(path.join(pulled, 'index.html'), 'utf8')).toBe('mine');
  expect(await run('pull', pulled, '--force')).toMatchObject({ code: 0, out: '2 files, 1 of them written.' });
});

test('deploy: a link, a missing index.html and a wrong call are refused in a sentence', async () => {
  const { id } = await makeProject(ours.api);
  const site = await folder();
  const deploy = (...more: string[]) => webkiln(['deploy', site, '--project', id, ...more]);
  await writeFile(path.join(site, 'a.html'), 'a');
  expect(await deploy()).toMatchObject({ code: 1, err: expect.stringContaining('must hold an index.html') });
  await symlink('/etc/passwd', path.join(site, 'index.html'));
  expect(await deploy()).toMatchObject({ code: 1, err: expect.stringContaining('is a link or no file') });
  expect(await deploy('--draft')).toMatchObject({ code: 2, err: expect.stringContaining("unknown option '--draft'") });
  expect(await deploy('--url', 'nowhere')).toMatchObject({ code: 1, err: expect.stringContaining('is no address of a platform') });
});

test('listen: forwards events as they happen, signed, once each, and leaves no webhook behind; trigger sends a sample', async () => {
  await using receiver = await WebhookReceiver.start();
  const listener = new Run(['listen', '--forward', receiver.url, '--events', 'client.created', '--json'], home);
  await ours.eventually(() => expect(listener.err).toContain('until Ctrl-C'));
  const secret = /^whsec_\S+$/m.exec(listener.err)?.[0] ?? '';
  const emails = [someEmail(), someEmail()];
  for (const email of emails) (await ours.api.post('/clients', { email })).expect(201);
  await ours.eventually(() => expect(receiver.received).toHaveLength(2));
  const verified = await Promise.all(receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret)));
  const forwarded = verified.map((event) => event.type === 'client.created' && event.data.client.email);
  expect(forwarded.toSorted()).toEqual(emails.toSorted());
  await ours.eventually(() => expect(listener.out.trim().split('\n')).toHaveLength(2));
  listener.child.kill('SIGINT');
  expect(await listener.end()).toMatchObject({ code: 0 });
  const { webhooks } = (await ours.api.get('/webhooks')).expect(200).body;
  expect(webhooks).toEqual([]);

  const { id } = await makeWebhook(ours.api, { url: receiver.url });
  expect(await webkiln(['trigger', 'form.submitted', '--webhook', id])).toMatchObject({ code: 0 });
  expect(receiver.received.at(-1)?.event).toMatchObject({ type: 'form.submitted', test: true });
});

test('requests tail: shows requests as they are answered, each once, and no others', async () => {
  const watching = await ours.makeKey(['usage']);
  const tail = new Run(['requests', 'tail', '--status', '4xx', '--json'], home, { WEBKILN_API_KEY: watching.api.key });
  await ours.eventually(() => expect(tail.err).toContain('until Ctrl-C'));
  const asked: (string | null)[] = [];
  for (const path of ['/clients/none', '/projects/none']) {
    (await ours.api.get('/clients')).expect(200);
    asked.push((await ours.api.get(path)).expect(404).headers.get('x-request-id'));
  }
  const seen = () =>
    tail.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line || '{}').request_id);
  await ours.eventually(() => expect(seen().toSorted()).toEqual(asked.toSorted()));
  tail.child.kill('SIGINT');
  expect(await tail.end()).toMatchObject({ code: 0 });
  const withoutUsage = await webkiln(['requests', 'tail']);
  expect(withoutUsage).toMatchObject({ code: 1, err: expect.stringContaining('usage') });
});

test('completion: names each command, for each shell', async () => {
  const printed = await Promise.all(['bash', 'zsh', 'fish'].map(async (shell) => (await webkiln(['completion', shell])).out));
  for (const script of printed) expect(script).toMatch(/deploy[\s\S]*listen/);
});
