import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@webkiln/store/testing';
import { useForms } from '../testing/running-forms.ts';
import { keptOf, post, toldOf } from '../testing/sent-forms.ts';
import { newSite } from '../testing/test-sites.ts';

const running = useForms({ perSiteHour: 1_000_000 });

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

test('any name is a field of its own, in what is kept and in what is told, and means nothing to stores; but not one that begins with "_"', async () => {
  const site = newSite();
  const body = new URLSearchParams(names.map((name): [string, string] => [name, `value of ${name}`])).toString();
  const json = { type: 'application/json' };
  expect((await post(running.port, site, body)).status).toBe(303);
  expect((await post(running.port, site, '{"__proto__": "a", "constructor": "b"}', json)).status).toBe(200);
  const told = await toldOf(running.stream, site);
  expect(told.map(({ data }) => Object.entries(data.form.fields))).toEqual([
    names.map((name) => [name, `value of ${name}`]),
    [['constructor', 'b']],
  ]);
});

test('control characters and halves of characters are in no name and no value', async () => {
  const site = newSite();
  await post(running.port, site, '{"a\\r\\nSubject: b": "c\\u0000d\\ud800\\u001be\\tf\\r\\ng", "\\u0000": "h"}', {
    type: 'application/json',
  });
  expect((await keptOf(site))[0]?.fields).toEqual([{ name: 'a Subject: b', values: ['cd\ufffde\tf\ng'] }]);
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
  expect(await keptOf(site)).toEqual([]);
});

const head = (name: string) =>
  `POST /_forms/contact HTTP/1.1\r\nHost: ${name}.sites.test\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** A form whose end does not come. */
async function unfinished(chunks: string): Promise<Socket> {
  const socket = connect(running.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(head(newSite().name) + chunks);
  return socket;
}

test('an endless body is answered 413 while it is sent, in single bytes too', async () => {
  const socket = await unfinished('1\r\na\r\n'.repeat(300_000));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('what is being read at once is bounded: more is answered 503, and when it is over forms are taken again', async () => {
  const half = 150 * 1024;
  const sockets: Socket[] = [];
  const answers: string[] = [];
  // Each has a room of 256 KB, and all of them 32 MB.
  for (let opened = 0; opened < 140; opened++) {
    const socket = await unfinished(`${half.toString(16)}\r\n${'a'.repeat(half)}\r\n`);
    socket.on('data', (data) => answers.push(String(data)));
    sockets.push(socket);
  }
  await until(() => answers.some((answer) => answer.startsWith('HTTP/1.1 503 ')));
  for (const socket of sockets) socket.destroy();
  const site = newSite();
  await until(async () => (await post(running.port, site, 'a=b')).status === 303);
  expect(await keptOf(site)).toHaveLength(1);
});
