import type { RequestListener } from 'node:http';
import { answerOf, postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

test('a receiver that never responds fails at the timeout', async () => {
  const reason = 'The receiver did not answer within 5 s.';
  expect(await answerOf(() => undefined, 5_000)).toMatchObject({ outcome: 'failed', reason, timedOut: true });
});

test.each<[string, RequestListener, string]>([
  ['closes', (request) => request.socket.end(), 'The receiver closed the connection before it answered.'],
  ['resets the connection', (request) => request.socket.resetAndDestroy(), 'The receiver closed the connection before it answered.'],
  ['speaks another protocol', (request) => request.socket.end('220 mail.example ESMTP\r\n'), 'The answer of the receiver is not HTTP.'],
  [
    'sends huge headers',
    (_request, response) => response.writeHead(200, { 'x-huge': 'x'.repeat(60_000) }).end(),
    'The headers of the answer are larger than 16 KB.',
  ],
])('a receiver that %s fails with a readable reason', async (_what, answer, reason) => {
  const failed = await answerOf(answer);
  expect(failed).toMatchObject({ outcome: 'failed', reason });
  expect(failed).not.toHaveProperty('timedOut');
});

test('a closed port fails as a refused connection', async () => {
  const receiver = await Receiver.start(() => undefined);
  await receiver[Symbol.asyncDispose]();
  expect(await postTo(`http://127.0.0.1:${receiver.port}/`, receiver.rules())).toMatchObject({
    outcome: 'failed',
    reason: 'The receiver refused the connection.',
  });
});
