import { AppError } from '@webkiln/contract';
import { errorResponse } from './responses.ts';

test.each([
  ['rate_limited', 429, '600'],
  ['unavailable', 503, '2'],
] as const)('a %s response has a Retry-After header', (code, expectedStatus, seconds) => {
  const { headers, status } = errorResponse(new AppError(code), 'the request');
  expect([status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([expectedStatus, seconds]);
});

test('an unexpected error reveals nothing about itself', () => {
  const { status, body } = errorResponse(new Error('password hash is 12345'), 'the request');
  expect([status, JSON.parse(body)]).toEqual([500, expect.objectContaining({ code: 'internal', request_id: 'the request' })]);
  expect(body).not.toContain('12345');
});
