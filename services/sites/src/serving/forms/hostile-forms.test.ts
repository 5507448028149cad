import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@webkiln/store/testing';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite } from '../../testing/test-sites.ts';

const running = useForms({ maxPerSiteHour: 1_000_000 });

const names = [
  'constructor',
  'prototype',
  'toString',
  'toObject',
  'toJSON',
  'then',
  '$where',
  '$set',
  '$ref',
  '$id',
  '$date',
  'a.b',
  'a[b]',
];

test('any field name is stored and published literally, except names that begin with "_"', async () => {
  const site = newSite();
  const body = new URLSearchParams(names.map((name): [string, string] => [name, `value of ${name}`])).toString();
  const json = { type: 'application/json' };
  expect((await post(running.port, site, body)).status).toBe(303);
  expect((await post(running.port, site, '{"__proto__": "a", "constructor": "b"}', json)).status).toBe(200);
  const events = await publishedEvents(running.stream, site);
  // Events of different records may be published in any order.
  const fields = events.map(({ data }) => Object.entries(data.form.fields));
  expect(fields).toHaveLength(2);
  expect(fields).toContainEqual(names.map((name) => [name, `value of ${name}`]));
  expect(fields).toContainEqual([['constructor', 'b']]);
});

test('control characters and lone surrogates are removed from names and values', async () => {
  const site = newSite();
  await post(running.port, site, '{"a\\r\\nSubject: b": "c\\u0000d\\ud800\\u001be\\tf\\r\\ng", "\\u0000": "h"}', {
    type: 'application/json',
  });
  expect((await storedSubmissions(site))[0]?.fields).toEqual([{ name: 'a Subject: b', values: ['cd\ufffde\tf\ng'] }]);
});

test.each([
  ['10,000 parts', `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(4_000)}--x--\r\n`],
  ['4,000 files', `${'--x\r\nContent-Disposition: form-data; name="a"; filename=""\r\n\r\n\r\n'.repeat(4_000)}--x--\r\n`],
  ['a part without a name', '--x\r\nContent-Disposition: form-data\r\n\r\nhello\r\n--x--\r\n'],
  ['a part that does not end', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nhello'],
  ['a boundary of 300 characters', `--${'x'.repeat(300)}--\r\n`, 'x'.repeat(300)],
  ['a part with endless headers', `--x\r\n${'A: b\r\n'.repeat(40_000)}\r\n--x--\r\n`],
  ['a boundary in every line', '--x\r\n'.repeat(50_000)],
])('a multipart body of %s is 400', async (_what, body, boundary = 'x') => {
  const site = newSite();
  expect((await post(running.port, site, body, { type: `multipart/form-data; boundary=${boundary}` })).status).toBe(400);
  expect(await storedSubmissions(site)).toEqual([]);
});

const head = (name: string) =>
  `POST /_forms/contact HTTP/1.1\r\nHost: ${name}.sites.test\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** Sends a form whose body never ends. */
async function unfinished(chunks: string): Promise<Socket> {
  const socket = connect(running.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(head(newSite().name) + chunks);
  return socket;
}

test('an endless body gets 413 while it is sent, even in single bytes', async () => {
  const socket = await unfinished('1\r\na\r\n'.repeat(300_000));
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('concurrently read bodies are bounded: more get 503, and forms are accepted again afterwards', async () => {
  const half = 150 * 1024;
  const sockets: Socket[] = [];
  const responses: string[] = [];
  // Each request buffers up to 256 KB, and all of them together 32 MB.
  for (let opened = 0; opened < 140; opened++) {
    const socket = await unfinished(`${half.toString(16)}\r\n${'a'.repeat(half)}\r\n`);
    socket.on('data', (data) => responses.push(String(data)));
    sockets.push(socket);
  }
  await until(() => responses.some((response) => response.startsWith('HTTP/1.1 503 ')));
  for (const socket of sockets) socket.destroy();
  const site = newSite();
  await until(async () => (await post(running.port, site, 'a=b')).status === 303);
  expect(await storedSubmissions(site)).toHaveLength(1);
});
