import { endpoints } from './endpoints.ts';
import { AppError, type ErrorCode, errorCatalogue, kinds } from './errors.ts';
import { errorsByStatus } from './openapi-answers.ts';

const all = Object.entries(endpoints);

test.each(all)('%s declares the permission of its method: read for GET, write for the rest', (_name, { method, permission }) => {
  expect(permission).toBe(method === 'GET' ? 'read' : 'write');
});

test.each(all)('%s documents 401, 403, 429, 500 and 503, and 404 where it names a record', (_name, endpoint) => {
  const statuses = [...errorsByStatus(endpoint).keys()];
  expect(statuses).toEqual(expect.arrayContaining([401, 403, 429, 500, 503]));
  if (endpoint.path.includes('{')) expect(statuses).toContain(404);
  if (endpoint.method === 'POST' || endpoint.method === 'PATCH') expect(statuses).toEqual(expect.arrayContaining([400, 413, 415]));
});

test('no two operations share a method and path', () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test('a body that is not declared to be partial refuses unknown fields', () => {
  for (const [, { method, input }] of all) {
    if (method !== 'GET' && input !== undefined) expect(input.safeParse({ no_such_field: 1 }).success).toBe(false);
  }
});

test.each(Object.entries(errorCatalogue))('%s has one status and a sentence that a person can act on', (code, { kind, message }) => {
  expect(new AppError(code as ErrorCode).status).toBe(kinds[kind].status);
  expect(message).toMatch(/^[A-Z].{15,}\.$/);
});
