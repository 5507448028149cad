import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { operatorPrincipal } from '@webkiln/messages';
import type { ActiveCredential } from '../credentials/recent-credentials.ts';
import type { Exchange, ResponseWriter } from './response-writer.ts';
import { type RouteMatch, Routes } from './routes.ts';
import { RunOperation } from './run-operation.ts';

const path = '/projects/0198f7a2-0000-7000-8000-000000000000/publish';
const credential = { principal: operatorPrincipal() } as ActiveCredential;

/** A request whose body has no declared length and breaks off when it is destroyed. */
function slowUpload(): IncomingMessage {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  return Object.assign(new PassThrough(), { method: 'POST', headers }) as unknown as IncomingMessage;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('two large bodies are read at once; another waits unread for 15 s, then is refused as overloaded', async () => {
  const operation = new RunOperation({ responses: {} as ResponseWriter, timeoutMs: 1000, baseUrl: 'http://localhost' });
  const route = new Routes().find('POST', path) as RouteMatch;
  const run = (request: IncomingMessage) => operation.run({ request } as Exchange, route, {}, path, credential);
  const uploads = [slowUpload(), slowUpload(), slowUpload()] as const;
  const [first, second, third] = uploads.map((upload) => run(upload).catch(({ code }: { code: string }) => code));
  expect(uploads.map((upload) => upload.listenerCount('data'))).toEqual([1, 1, 0]);
  await jest.advanceTimersByTimeAsync(14_999);
  expect(await Promise.race([third, 'waiting'])).toBe('waiting');
  await jest.advanceTimersByTimeAsync(1);
  expect(await third).toBe('overloaded');
  for (const upload of uploads) upload.destroy();
  expect(await Promise.all([first, second])).toEqual(['malformed_request', 'malformed_request']);
});
