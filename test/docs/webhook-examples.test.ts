import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { generateWebhookSecret, signWebhook } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { availableLanguages, examples, type Language } from './example-languages.ts';

const buildTimeoutMs = 300_000;

const { available, missing } = availableLanguages();
for (const language of missing) process.stderr.write(`Webhook example skipped: ${language}.\n`);

const now = () => Math.floor(Date.now() / 1000);
const eventOf = (id: string) => JSON.stringify({ id, type: 'client.created', data: { client: { name: 'Zoë “Ø” 窯' } } });

describe.each(available)('the $name example', ({ build, run }: Language) => {
  const secret = generateWebhookSecret();
  let receiver: ChildProcess;
  let out = '';
  let url: string;

  beforeAll(async () => {
    if (build !== undefined)
      await promisify(execFile)(build.program, build.args, { cwd: build.cwd, env: { ...process.env, ...build.env } });
    const env = { ...process.env, ...run.env, WEBHOOK_SECRET: secret, PORT: '0' };
    receiver = spawn(run.program, run.args, { cwd: run.cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    receiver.stdout?.on('data', (text) => (out += text));
    await eventually(() => {
      const port = /^listening on (\d+)/m.exec(out)?.[1];
      if (port === undefined) throw new Error(`the example does not listen yet: ${out}`);
      url = `http://127.0.0.1:${port}/hook`;
    });
  }, buildTimeoutMs);
  afterAll(async () => {
    const exit = once(receiver, 'exit');
    receiver.kill();
    await exit;
    if (run.cwd !== examples) rmSync(run.cwd, { recursive: true });
  });

  /** Posts an event signed with `secrets` at `timestamp`; resolves with the response status. */
  async function deliver(id: string, { secrets = [secret], timestamp = now(), body = eventOf(id) } = {}) {
    const signature = signWebhook(secrets, id, timestamp, eventOf(id));
    const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature };
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    return response.status;
  }
  const handled = (id: string) => out.split('\n').filter((line) => line === `handled client.created ${id}`).length;

  test('accepts a signed event and its repeat, and handles it once', async () => {
    const id = crypto.randomUUID();
    expect([await deliver(id), await deliver(id)]).toEqual([204, 204]);
    await eventually(() => expect(handled(id)).toBe(1));
    const later = crypto.randomUUID();
    expect(await deliver(later)).toBe(204);
    await eventually(() => expect([handled(id), handled(later)]).toEqual([1, 1]));
  });

  test('accepts an event signed with the old and the new secret during a rotation', async () => {
    expect(await deliver(crypto.randomUUID(), { secrets: [generateWebhookSecret(), secret] })).toBe(204);
  });

  test.each([
    ['was changed in transit', { body: eventOf('another') }],
    ['is signed with another secret', { secrets: [generateWebhookSecret()] }],
    ['is older than five minutes', { timestamp: now() - 3600 }],
    ['is from the future', { timestamp: now() + 3600 }],
  ])('refuses an event that %s', async (_case, wrong) => {
    const id = crypto.randomUUID();
    expect(await deliver(id, wrong)).toBe(400);
    expect(handled(id)).toBe(0);
  });
});
