import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SlowedRefusals, slowRefusedForms, UnknownNames } from './quotas.ts';

let now: number;
/** Ends the delays so far. */
let answer: (() => void)[];
let slowed: SlowedRefusals;

beforeEach(() => {
  [now, answer] = [5_000, []];
  slowed = new SlowedRefusals(
    () => now,
    () => new Promise((resolve) => answer.push(resolve)),
  );
});

/** How many of so many refusals of a caller are answered at once. */
async function countUndelayed(refusals: number, caller = 'a key'): Promise<number> {
  let answered = 0;
  for (let each = 0; each < refusals; each++) void slowed.wait(caller).then(() => answered++);
  await new Promise(setImmediate);
  return answered;
}

test('twenty refusals of a caller in a second are answered at once, further ones later; those of others are not delayed', async () => {
  expect(await countUndelayed(25)).toBe(20);
  expect(await countUndelayed(20, 'another key')).toBe(20);
  expect(answer).toHaveLength(5);
});

test('in the next second refusals are answered at once again', async () => {
  await countUndelayed(25);
  now += 1000;
  expect(await countUndelayed(20)).toBe(20);
});

test('no more than five thousand refusals wait at once', async () => {
  expect(await countUndelayed(6_000)).toBe(1_000);
  expect(answer).toHaveLength(5_000);
  for (const end of answer.splice(0)) end();
  await new Promise(setImmediate);
  expect(await countUndelayed(10)).toBe(0);
});

test('a network that asks for unknown names although it is refused is answered twenty times a second; others are not delayed', async () => {
  const limiter = { isRefused: (key: string) => key.endsWith('hostile'), consume: async () => ({}) as never };
  const names = new UnknownNames(limiter, 100, slowed);
  let answered = 0;
  for (let each = 0; each < 25; each++) void names.count('hostile').then(() => answered++);
  await Promise.all(Array.from({ length: 25 }, () => names.count('another')));
  await new Promise(setImmediate);
  expect([answered, answer.length]).toEqual([20, 5]);
});

describe('forms of a site', () => {
  let asked = 0;
  const server = createServer((request, response) => {
    const answerForm: RequestListener = () => {
      asked++;
      response.writeHead(429).end();
    };
    slowRefusedForms(slowed, answerForm)(request, response);
  });
  const send = async (host: string, method = 'POST') => {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method, path: '/_forms/contact', headers: { host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'close');
    return response.statusCode;
  };
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('after twenty refused forms of a site in a second its service is not asked at once; pages and forms of other sites are', async () => {
    for (let sent = 0; sent < 21; sent++) expect(await send('flooded.sites.test')).toBe(429);
    const held = send('flooded.sites.test');
    expect([await send('flooded.sites.test', 'GET'), await send('other.sites.test')]).toEqual([429, 429]);
    while (answer.length === 0) await new Promise(setImmediate);
    expect(asked).toBe(23);
    for (const end of answer) end();
    expect(await held).toBe(429);
    expect(asked).toBe(24);
  });
});
