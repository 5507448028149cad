import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { censor } from './logger.ts';
import { Authority, MountedCertificate } from './testing/certificates.ts';
import { processTls, startTls } from './tls.ts';

describe('run service', () => {
  const children: ChildProcess[] = [];

  function start(env: NodeJS.ProcessEnv = {}) {
    const child = fork(path.join(__dirname, 'testing/idle-service.ts'), {
      env: { ...process.env, LOG_LEVEL: 'info', ...env },
      silent: true,
    });
    const written = { stdout: '', stderr: '' };
    child.stdout?.on('data', (text) => {
      written.stdout += text;
    });
    child.stderr?.on('data', (text) => {
      written.stderr += text;
    });
    children.push(child);
    return { child, written, exited: once(child, 'close') };
  }

  async function ready(child: ChildProcess): Promise<string> {
    const [message] = (await once(child, 'message')) as [{ ready: boolean; ports: Record<string, number> }];
    expect(message).toEqual({ ready: true, ports: { idle: 1, internal: expect.any(Number) } });
    return `http://127.0.0.1:${message.ports.internal}`;
  }

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  test('a started service is alive and ready, and shows its metrics', async () => {
    const origin = await ready(start().child);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${origin}/metrics`)).text()).toContain('idle_starts_total 1');
  });

  test('a service with a failing dependency is alive but not ready, and says why', async () => {
    const { child } = start();
    const origin = await ready(child);
    child.send('break the disk');
    let answer = await fetch(`${origin}/readyz`);
    for (const until = Date.now() + 120_000; answer.status === 200 && Date.now() < until; ) answer = await fetch(`${origin}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('disk: the disk is full');
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  test('a service can add routes to its internal port', async () => {
    const origin = await ready(start().child);
    const answer = await fetch(`${origin}/say?word=a%20b`);
    expect([answer.status, await answer.text()]).toEqual([202, 'a b\n']);
    for (const path of ['/', '/say/more', '/constructor', '/saying']) expect((await fetch(`${origin}${path}`)).status).toBe(404);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s stops the service, and the process exits with 0', async (signal) => {
    const { child, exited } = start();
    await ready(child);
    const stopped = once(child, 'message');
    child.kill(signal);
    expect(await stopped).toEqual([{ stopped: true }, undefined]);
    expect(await exited).toEqual([0, null]);
  });

  test('a service stops when its parent process is gone', async () => {
    const { child } = start();
    await ready(child);
    const exited = once(child, 'exit');
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });

  test('a wrong configuration ends the process with 78, and the log names the variable but not its value', async () => {
    const { exited, written } = start({ CASE: 'misconfigured', IDLE_SECRET: 'too-short' });
    expect(await exited).toEqual([78, null]);
    expect(written.stderr).toContain('IDLE_SECRET must have 40 characters');
    expect(written.stderr + written.stdout).not.toContain('too-short');
  });

  test.each([
    ['cannot start', 'no disk'],
    ['crashes', 'unforeseen'],
  ])('a service that %s exits with 1, and the log says why', async (special, reason) => {
    const { exited, written } = start({ CASE: special, NODE_ENV: 'production' });
    expect(await exited).toEqual([1, null]);
    const lines = written.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; name: string; err?: { message: string } });
    expect(lines.at(-1)).toMatchObject({ level: 'fatal', name: 'idle', err: { message: reason } });
  });

  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('every line that a service writes is JSON, warnings of Node and what libraries print, too', async () => {
    const { child, exited, written } = start({ CASE: 'warns' });
    await ready(child);
    child.kill('SIGTERM');
    await exited;
    expect(written.stderr).toBe('');
    expect(linesOf(written.stdout)).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('warning of Node'),
        err: expect.objectContaining({ message: 'this goes away' }),
      }),
    );
    expect(linesOf(written.stdout)).toContainEqual(expect.objectContaining({ level: 'error', said: "two\nlines of { a: 'library' }" }));
  });

  test('a request that failed on our side is no `info`, and its line says why', async () => {
    const { child, exited, written } = start({ CASE: 'answers' });
    await ready(child);
    child.kill('SIGTERM');
    await exited;
    const answered = linesOf(written.stdout).filter(({ msg }) => msg === 'request');
    expect(answered.map(({ status, level }) => [status, level])).toEqual([
      [200, 'info'],
      [404, 'info'],
      [500, 'error'],
      [503, 'warn'],
    ]);
    expect(answered.at(-1)).toMatchObject({ failure: 'identity.GetSession: no answer' });
  });
});

describe('logger', () => {
  test.each(['authorization', 'Authorization', 'cookie', 'password', 'secret', 'token', 'access_token', 'clientSecret'])(
    'a field named %s is not written, at any depth',
    (name) => {
      expect(
        JSON.stringify(censor({ [name]: 'hidden', request: { headers: { [name]: 'hidden' } }, list: [{ [name]: 'hidden' }] })),
      ).not.toContain('hidden');
    },
  );

  test('other fields stay unchanged', () => {
    const fields = { request_id: 'r', tokens_used: 3, nested: { at: new Date(0), names: ['a'] }, err: new Error('boom'), nothing: null };
    expect(censor(fields)).toBe(fields);
  });

  test('a structure that contains itself terminates', () => {
    const fields: Record<string, unknown> = {};
    fields.self = fields;
    expect(JSON.stringify(censor(fields))).toContain('[deep]');
  });
});

describe('tls', () => {
  test('without settings a process uses no TLS', () => {
    startTls({});
    expect(processTls()).toBeUndefined();
  });

  test('a setting alone is refused: a process does not start half in the clear', () => {
    expect(() => startTls({ TLS_CERT_FILE: '/etc/tls/tls.crt' })).toThrow(
      'Set all of TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, or none of them.',
    );
  });

  test('files that cannot be read, and a key of another certificate, are refused', async () => {
    const authority = await Authority.create();
    const [one, other] = [await authority.issue('sites'), await authority.issue('sites')];
    using mount = new MountedCertificate({ ...one, key: other.key });
    const refusal = 'The files of TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE cannot be used';
    expect(() => startTls({ ...mount.env, TLS_CA_FILE: '/nowhere' })).toThrow(refusal);
    expect(() => startTls(mount.env)).toThrow(refusal);
    expect(processTls()).toBeUndefined();
  });
});
