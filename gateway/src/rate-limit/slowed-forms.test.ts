import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slowRefusedForms } from './slowed-forms.ts';
import { SlowedRefusals } from './slowed-refusals.ts';

/** Ends the delays so far. */
const goOn: (() => void)[] = [];
const refusals = new SlowedRefusals(
  () => 0,
  () => new Promise((resolve) => goOn.push(resolve)),
);
let asked = 0;
const server = createServer(
  slowRefusedForms(refusals, (_request, response) => {
    asked++;
    response.writeHead(429).end();
  }),
);
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
  while (goOn.length === 0) await new Promise(setImmediate);
  expect(asked).toBe(23);
  for (const end of goOn) end();
  expect(await held).toBe(429);
  expect(asked).toBe(24);
});
