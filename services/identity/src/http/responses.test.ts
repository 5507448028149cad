import { AppError } from '@webkiln/contract';
import { refusal } from './answers.ts';

test.each([
  ['rate_limited', 429, '600'],
  ['unavailable', 503, '2'],
] as const)('%s says when to come again', (code, status, seconds) => {
  const { headers, ...refused } = refusal(new AppError(code), 'the request');
  expect([refused.status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([status, seconds]);
});

test('what is no error of ours tells nothing of itself', () => {
  const { status, body } = refusal(new Error('password hash is 12345'), 'the request');
  expect([status, JSON.parse(body)]).toEqual([500, expect.objectContaining({ code: 'internal', request_id: 'the request' })]);
  expect(body).not.toContain('12345');
});
