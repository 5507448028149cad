import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { Webhook } from 'standardwebhooks';
import { bundledProgram } from '../../tools/dev-platform/src/platform/bundle.ts';
import { agency, eventually } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

jest.setTimeout(600_000);

/** Runs `webkiln listen …` as in a terminal. */
class Listener {
  out = '';
  err = '';
  readonly #child: ChildProcess;

  private constructor(program: string, words: readonly string[]) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: path.dirname(sharedPlatform().mailFolder) };
    this.#child = spawn(process.execPath, [program, 'listen', ...words], { env });
    this.#child.stdout?.on('data', (text) => (this.out += text));
    this.#child.stderr?.on('data', (text) => (this.err += text));
  }

  /** Starts the command; resolves when it forwards events. */
  static async start(...words: string[]): Promise<Listener> {
    const listener = new Listener(await bundledProgram('cli/src/main.ts'), words);
    await listener.waitForMessage(/Forwarding/);
    return listener;
  }

  get secret(): string {
    return /^whsec_\S+$/m.exec(this.err)?.[0] ?? '';
  }

  get lines(): string[] {
    return this.out.split('\n').filter((line) => line !== '');
  }

  waitForMessage(what: RegExp): Promise<void> {
    return eventually(() => {
      if (!what.test(this.err)) throw new Error(`no such message in: ${this.err}`);
    });
  }

  /** Sends Ctrl-C; resolves with the exit code. */
  async interrupt(): Promise<number | null> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    return (await exit)[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.interrupt();
  }
}

const waitForDeliveries = (receiver: WebhookReceiver, count: number) =>
  eventually(() => {
    if (receiver.received.length < count) throw new Error(`${receiver.received.length} of ${count} arrived`);
  });

test('listen forwards the chosen new events of one organization, signed, and prints a line for each', async () => {
  const [ours, theirs] = [await agency(), await agency()];
  await using hook = await WebhookReceiver.start();
  (await ours.api.post('/webhooks', { url: hook.url, events: ['client.created'] })).expect(201);
  const before = (await ours.api.post('/clients', { email: 'before@example.com' })).expect(201).body.client;
  await waitForDeliveries(hook, 1);
  await using receiver = await WebhookReceiver.start();
  await using listener = await Listener.start('--org', ours.organization.id, '--forward', receiver.url, '--events', 'client.created');
  (await theirs.api.post('/clients', { email: 'theirs@example.com' })).expect(201);
  (await ours.api.patch(`/clients/${before.id}`, { name: 'Unwanted' })).expect(200);
  const first = (await ours.api.post('/clients', { email: 'first@example.com' })).expect(201).body.client;
  await waitForDeliveries(receiver, 1);
  receiver.status = 500;
  const second = (await ours.api.post('/clients', { email: 'second@example.com' })).expect(201).body.client;
  await waitForDeliveries(receiver, 2);
  const webhook = new Webhook(listener.secret);
  const verified = receiver.received.map(({ body, headers }) => webhook.verify(body, headers));
  expect(verified).toEqual([
    expect.objectContaining({ type: 'client.created', org_id: ours.organization.id, data: { client: first } }),
    expect.objectContaining({ type: 'client.created', org_id: ours.organization.id, data: { client: second } }),
  ]);
  await eventually(() => expect(listener.lines).toHaveLength(2));
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual(receiver.received.map(({ event }) => event.id));
  for (const [index, line] of listener.lines.entries()) {
    expect(line).toMatch(new RegExp(`^20\\S+Z +client\\.created +${ids[index]} +${[200, 500][index]} +\\d+ ms$`));
  }
  expect(await listener.interrupt()).toBe(0);
});

test('listen reports a refused connection, retries the event, and signs it with the given secret', async () => {
  const { api, organization } = await agency();
  const port = await freePort();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  await using listener = await Listener.start(
    '--org',
    organization.id,
    '--forward',
    `http://127.0.0.1:${port}/hook`,
    '--secret',
    secret,
    '--json',
  );
  const { client } = (await api.post('/clients', { email: 'ada@example.com' })).expect(201).body;
  await listener.waitForMessage(/does not take the event \(ECONNREFUSED\)/);
  await using receiver = await WebhookReceiver.start(port);
  await waitForDeliveries(receiver, 1);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { client } });
  await eventually(() => expect(listener.lines).toHaveLength(1));
  expect(JSON.parse(listener.out)).toMatchObject({ type: 'client.created', status: 200, latency_ms: expect.any(Number) });
  expect(await listener.interrupt()).toBe(0);
});
