import * as z from 'zod';
import { type ErrorCode, errorCatalogue } from '../error-catalogue.ts';
import { kinds } from '../error-kinds.ts';
import { AppError } from '../errors.ts';
import { errorsByStatus } from '../openapi/errors.ts';
import { sendsEtag, takesIfMatch } from './operation.ts';
import { operations } from './operations.ts';

const all = Object.entries(operations);

test.each(all)('%s declares the permission of its method: read for GET, write for the rest', (_name, { method, permission }) => {
  expect(permission).toBe(method === 'GET' ? 'read' : 'write');
});

test.each(all)('%s documents 401, 403, 429, 500 and 503, and 404 if it names a record', (_name, operation) => {
  const statuses = [...errorsByStatus(operation).keys()];
  expect(statuses).toEqual(expect.arrayContaining([401, 403, 429, 500, 503]));
  if (operation.path.includes('{')) expect(statuses).toContain(404);
  if (operation.method === 'POST' || operation.method === 'PATCH') expect(statuses).toEqual(expect.arrayContaining([400, 413, 415]));
});

const changes = all.filter(([, { method }]) => method === 'PATCH' || method === 'DELETE');
test.each(changes)('%s takes If-Match exactly if callers can read an ETag at its path', (_name, operation) => {
  const isReadable = all.some(([, other]) => other.path === operation.path && sendsEtag(other));
  expect(takesIfMatch(operation)).toBe(isReadable);
});

test('no two operations share a method and path', () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test('a body that is not declared partial refuses unknown fields', () => {
  for (const [, { method, input }] of all) {
    if (method !== 'GET' && input !== undefined) expect(input.safeParse({ no_such_field: 1 }).success).toBe(false);
  }
});

test.each(Object.entries(errorCatalogue))('%s has one status and a sentence that a person can act on', (code, { kind, message }) => {
  expect(new AppError(code as ErrorCode).status).toBe(kinds[kind].status);
  expect(message).toMatch(/^[A-Z].{15,}\.$/);
});

const secretName = /(^|_)(secret|token|password|private_key)$/;

function fieldNames(schema: z.ZodType): string[] {
  const names: string[] = [];
  JSON.stringify(z.toJSONSchema(schema), (name, value) => {
    names.push(name);
    return value;
  });
  return names;
}

test.each(all)('%s declares showsSecret exactly if its response has a secret', (_name, { output, showsSecret }) => {
  const names = typeof output === 'string' ? [] : fieldNames(output);
  expect(names.some((name) => secretName.test(name))).toBe(showsSecret === true);
});
