import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  ApiError,
  type CallOptions,
  ConnectionError,
  chatTransport,
  signWebhook,
  TimeoutError,
  verifyWebhook,
  Webkiln,
  type WebkilnOptions,
} from '@webkiln/sdk';
import { type DeployProgress, deployFolder } from '@webkiln/sdk/node';
import { type ChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { type Agency, agency } from '../harness/agency.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeProject, someEmail } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 10_000 });
});

const sdk = (options: Partial<WebkilnOptions> = {}) => new Webkiln({ apiKey: ours.api.key ?? '', baseUrl: ours.api.baseUrl, ...options });

/** A network that does what `loses` says with each answer, and counts the requests. */
function network(loses: (response: Response, count: number) => Promise<Response> | Response) {
  const sent: Headers[] = [];
  const through: typeof fetch = async (input, init) => {
    sent.push(new Headers(init?.headers));
    return loses(await fetch(input, init), sent.length);
  };
  return { fetch: through, sent };
}

async function lost(response: Response): Promise<never> {
  await response.body?.cancel();
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
}
const losesFirst = () => network((response, count) => (count === 1 ? lost(response) : response));

test('a call whose answer is lost is repeated and done once: a POST by one Idempotency-Key, a DELETE though nothing is left', async () => {
  const { fetch, sent } = losesFirst();
  const email = someEmail();
  const { data, response } = await sdk({ fetch }).clients.create({ email }).withResponse();
  expect(response.headers.get('idempotent-replayed')).toBe('true');
  expect(sent.map((headers) => headers.get('idempotency-key'))).toEqual([expect.any(String), sent[0]?.get('idempotency-key')]);
  const { body } = (await ours.api.get('/clients')).expect(200);
  expect(body.clients.filter((client: { email: string }) => client.email === email)).toEqual([data]);
  const plan = await sdk().webhooks.create({ url: 'https://127.0.0.1/hook', events: ['client.created'] });
  await sdk({ fetch: losesFirst().fetch }).webhooks.delete(plan.id);
  await expect(sdk().webhooks.get(plan.id)).rejects.toMatchObject({ code: 'webhook_not_found' });
});

test('a change of a known state is not repeated after a lost answer, and refused once the state is another', async () => {
  const { id } = await sdk().clients.create({ email: someEmail() });
  const { response } = await sdk().clients.get(id).withResponse();
  const options: CallOptions = { ifMatch: response.headers.get('etag') ?? '' };
  const { fetch, sent } = losesFirst();
  await expect(sdk({ fetch }).clients.update(id, { name: 'Ada' }, options)).rejects.toThrow(ConnectionError);
  expect(sent).toHaveLength(1);
  await expect(sdk().clients.update(id, { name: 'Eve' }, options)).rejects.toMatchObject({ status: 412, code: 'edited_meanwhile' });
  expect((await sdk().clients.get(id)).name).toBe('Ada');
});

test('a list is iterated over all of its pages, newest first, or page by page', async () => {
  const { api } = await agency();
  const webkiln = sdk({ apiKey: api.key ?? '' });
  const made: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await webkiln.plans.create({ name, price: 1 })).id);
  const iterated: string[] = [];
  for await (const { id } of webkiln.plans.list({ limit: 2 })) iterated.push(id);
  expect(iterated).toEqual(made);
  const first = await webkiln.plans.list({ limit: 3 });
  const second = await first.next();
  expect([first, second].map((page) => page?.items.map(({ id }) => id))).toEqual([made.slice(0, 3), made.slice(3)]);
  expect([first.total, first.hasNext, second?.hasNext, await second?.next()]).toEqual([5, true, false, undefined]);
});

test('an error has its code, status, request id and details; one that stays is not repeated', async () => {
  const { fetch, sent } = network((response) => response);
  const error = await sdk({ fetch })
    .clients.create({ email: 'nobody' })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 400, code: 'validation_failed', requestId: expect.stringMatching(/.{8}/) });
  expect((error as ApiError).details.map((detail) => detail.path)).toEqual(['email']);
  expect(sent).toHaveLength(1);
});

test('a refusal that passes is repeated after the time that it names, and one of more than a minute is thrown', async () => {
  const busy = (retryAfter: string) =>
    Response.json({ error: 'Wait.', code: 'rate_limited' }, { status: 429, headers: { 'retry-after': retryAfter } });
  const { fetch, sent } = network((response, count) => (count === 1 ? busy('1') : response));
  const begin = performance.now();
  expect((await sdk({ fetch }).clients.list()).items).toBeInstanceOf(Array);
  expect([sent.length, performance.now() - begin >= 1000]).toEqual([2, true]);
  const later = network(() => busy('3600'));
  await expect(sdk({ fetch: later.fetch }).clients.list()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
  expect(later.sent).toHaveLength(1);
});

test('an aborted call throws its reason, also between attempts, and one without an answer in time a TimeoutError', async () => {
  const hangs: typeof fetch = (_input, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const reason = new Error('enough');
  for (const fetch of [hangs, () => Promise.reject(new TypeError('fetch failed'))]) {
    const stop = new AbortController();
    const call = sdk({ fetch }).clients.list({}, { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
  }
  await expect(sdk({ fetch: hangs }).clients.list({}, { timeout: 20, maxRetries: 1 })).rejects.toThrow(TimeoutError);
});

test('a webhook that is really delivered is verified and typed, also while its secret changes; a changed, old or foreign one is refused', async () => {
  await using receiver = await WebhookReceiver.start();
  const { secret } = await sdk().webhooks.create({ url: receiver.url, events: ['client.created'] });
  const client = await sdk().clients.create({ email: someEmail() });
  await ours.eventually(() => expect(receiver.received).toHaveLength(1));
  const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
  const event = await verifyWebhook(body, headers, secret);
  expect(event.type === 'client.created' && event.data.client).toEqual(client);
  const other = `whsec_${btoa('another secret of at least 24 bytes')}`;
  expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), [other, secret])).toEqual(event);
  const verified = (text: string, signed: Record<string, string>, key = secret, options = {}) => verifyWebhook(text, signed, key, options);
  await expect(verified(`${body} `, headers)).rejects.toThrow('No signature fits');
  await expect(verified(body, headers, other)).rejects.toThrow('No signature fits');
  await expect(verified(body, headers, secret, { toleranceSeconds: -1 })).rejects.toThrow('too old');
  await expect(verified(body, {})).rejects.toThrow('are missing');
  expect(await verified(body, await signWebhook(body, secret))).toEqual(event);
});

test('a folder is deployed whole, sending only what changed; a preview leaves the site, and one that breaks off changes nothing', async () => {
  const { id } = await makeProject(ours.api);
  const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-sdk-'));
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  await Promise.all([write('index.html', '<p>one'), write('.DS_Store', 'litter'), write('photo.bin', 'x'.repeat(300_000))]);
  const reported: DeployProgress[] = [];
  const first = await deployFolder(sdk(), id, folder, { message: 'Opening', onProgress: (progress) => reported.push(progress) });
  expect(first).toMatchObject({ files: 2, sent: 2, url: expect.stringMatching(/^http/), deployId: expect.any(String) });
  const { totalBytes } = reported.at(-1) ?? {};
  expect(reported.at(-1)).toMatchObject({ sent: 2, sentBytes: totalBytes });
  expect((await sdk().projects.listHistory(id)).items[0]).toMatchObject({ message: 'Opening' });

  await write('index.html', '<p>two');
  const broken = sdk({
    fetch: (url, init) => (init?.method === 'PUT' ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init)),
    maxRetries: 0,
  });
  await expect(deployFolder(broken, id, folder)).rejects.toThrow(ConnectionError);
  expect(await (await sdk().projects.getFile(id, 'index.html')).text()).toBe('<p>one');

  const preview = await deployFolder(sdk(), id, folder, { preview: true });
  expect(preview).toMatchObject({ files: 2, sent: 1, previewUrl: expect.stringMatching(/^http/) });
  expect(await sdk().projects.getDraft(id)).toMatchObject({ changed: { paths: ['index.html'] } });
  await rm(folder, { recursive: true });
});

describe('chat', () => {
  const session = async () => {
    const { token, project } = await openEmbedSession(await embedPair(await owner()));
    return { apiKey: token, id: project.id };
  };
  const typesOf = (parts: readonly { type: string }[]) => [...new Set(parts.map(({ type }) => type))];

  test('a turn is a stream of typed parts, which is continued after the last one if it breaks off', async () => {
    const { apiKey, id } = await session();
    /** The first two events, and then no end. */
    const breaks = network(async (response, count) => {
      if (count !== 1) return response;
      const [one, two] = (await response.text()).split('\n\n');
      return new Response(`${one}\n\n${two}\n\n`, response);
    });
    const parts = [];
    for await (const part of sdk({ apiKey, fetch: breaks.fetch }).chat.sendMessage(id, { message: 'a bakery in Lyon' })) parts.push(part);
    expect([parts[0]?.type, parts.at(-1)?.type]).toEqual(['start', 'finish']);
    expect(parts.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(typesOf(parts)).toEqual(expect.arrayContaining(['text-delta', 'data-file', 'finish']));
    expect(breaks.sent[1]?.get('last-event-id')).toMatch(/^\d+$/);
    expect((await sdk({ apiKey }).projects.listFiles(id)).map((file) => file.path)).toContain('index.html');
  });

  test('the transport is that of the useChat of the AI SDK', async () => {
    const { apiKey, id } = await session();
    const transport: ChatTransport<UIMessage> = chatTransport(sdk({ apiKey }), id);
    const message: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'a bakery in Lyon' }] };
    const request = { chatId: id, messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ ...request, trigger: 'submit-message', messages: [message] });
    let answer: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream })) answer = state;
    expect(answer?.parts.some((part) => part.type === 'text' && part.text.length > 10)).toBe(true);
    expect(await transport.reconnectToStream({ chatId: id })).toBeNull();
  });
});
