import { AppError } from '@webkiln/contract';
import { countAttempt } from '../attempts/login-attempts.ts';
import { errorResponse } from './responses.ts';

test.each([
  ['rate_limited', 429, '600'],
  ['unavailable', 503, '2'],
] as const)('a %s response has a Retry-After header', (code, expectedStatus, seconds) => {
  const { headers, status } = errorResponse(new AppError(code), 'the request');
  expect([status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([expectedStatus, seconds]);
});

test('the Retry-After of too many failed attempts is when the oldest of them no longer counts', () => {
  const [first, second] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:03:20Z')];
  const refusal = (now: Date) => {
    try {
      return countAttempt([first, second], now, 2);
    } catch (error) {
      return errorResponse(error, 'the request');
    }
  };
  const { status, headers, body } = refusal(new Date('2026-01-01T00:08:30Z')) as ReturnType<typeof errorResponse>;
  expect([status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([429, '90']);
  expect(body).toContain('wait 2 minutes');
});

test('an unexpected error reveals nothing about itself', () => {
  const { status, body } = errorResponse(new Error('password hash is 12345'), 'the request');
  expect([status, JSON.parse(body)]).toEqual([500, expect.objectContaining({ code: 'internal', request_id: 'the request' })]);
  expect(body).not.toContain('12345');
});
