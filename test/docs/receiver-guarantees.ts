import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateWebhookSecret, signWebhook } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import type { Command } from './example-languages.ts';

const now = () => Math.floor(Date.now() / 1000);
const eventOf = (id: string) => JSON.stringify({ id, type: 'client.created', data: { client: { name: 'Zoë “Ø” 窯' } } });

/** The tests of an example that receives webhooks, which `command` starts. */
export function receiverKeepsGuarantees(command: () => Command): void {
  const secret = generateWebhookSecret();
  let receiver: ChildProcess;
  let out = '';
  let url: string;

  beforeAll(async () => {
    const { program, args, cwd, env } = command();
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    receiver = spawn(program, args, { cwd, env: { ...process.env, ...env, WEBHOOK_SECRET: secret, PORT: '0' }, stdio: [...stdio] });
    receiver.stdout?.on('data', (text) => (out += text));
    await eventually(() => {
      const port = /^listening on (\d+)/m.exec(out)?.[1];
      if (port === undefined) throw new Error(`the example does not listen yet: ${out}`);
      url = `http://127.0.0.1:${port}/hook`;
    });
  });
  afterAll(async () => {
    const exit = once(receiver, 'exit');
    receiver.kill();
    await exit;
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
}
