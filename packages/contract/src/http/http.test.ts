import * as z from 'zod';
import { createClient, updateClient } from '../areas/clients.ts';
import { listOrders } from '../areas/orders.ts';
import { createPlan } from '../areas/plans.ts';
import { listProjects, updateProject } from '../areas/projects.ts';
import { getVisits } from '../areas/visits.ts';
import { type ErrorCode, errorCatalogue } from '../error-catalogue.ts';
import { kinds } from '../error-kinds.ts';
import { AppError } from '../errors.ts';
import { errorsByStatus } from '../openapi/errors.ts';
import { createProjection, inputFields, validate, withDates } from './conversions.ts';
import { sendsEtag, takesIfMatch } from './operation.ts';
import { operations } from './operations.ts';
import { parameterWarnings } from './parameter-warnings.ts';

describe('operations', () => {
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
});

describe('conversions', () => {
  const refusal = (run: () => unknown): AppError => {
    try {
      run();
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('it was accepted');
  };

  test.each([
    ['a missing field', createClient.input, {}, 'email: is required.'],
    ['a wrong type', createClient.input, { email: 7 }, 'email: must be an email address.'],
    ['an operator', createClient.input, { email: { $ne: 1 } }, 'email: must be an email address.'],
    ['an unknown field', createClient.input, { email: 'a@b.test', role: 'x' }, 'role: is not a field of this request.'],
    ['__proto__', createClient.input, JSON.parse('{"email":"a@b.test","__proto__":{}}'), '__proto__: is not a field of this request.'],
    ['a NUL', createClient.input, { email: 'a@b.test', name: 'a\0b' }, 'name: must be valid Unicode text without NUL characters.'],
    [
      'a lone surrogate',
      createClient.input,
      { email: 'a@b.test', name: '\ud800' },
      'name: must be valid Unicode text without NUL characters.',
    ],
    [
      'a text that is too long',
      createClient.input,
      { email: 'a@b.test', company: 'x'.repeat(201) },
      'company: must have at most 200 characters.',
    ],
    ['a list for a body', createClient.input, [], 'The body must be one JSON object.'],
    ['null for a body', createClient.input, null, 'The body must be one JSON object.'],
    [
      'a value outside an enumeration',
      updateClient.input,
      { status: 'gone' },
      'status: must be one of invited, active, suspended, churned.',
    ],
    ['null for what is not nullable', updateClient.input, { status: null }, 'status: must be one of invited, active, suspended, churned.'],
    ['a malformed UUID', updateClient.input, { plan_id: '1' }, 'plan_id: must be a UUID.'],
    ['a negative price', createPlan.input, { name: 'A', price: -1 }, 'price: must be at least 0.'],
    ['an infinite price', createPlan.input, { name: 'A', price: Number.POSITIVE_INFINITY }, 'price: must be a number.'],
    ['a broken count', createPlan.input, { name: 'A', price: 1, max_sites: 1.5 }, 'max_sites: must be a whole number.'],
    ['a tag that is too long', updateProject.input, { tags: ['ok', 'x'.repeat(51)] }, 'tags.1: must have at most 50 characters.'],
  ])('%s is refused with a sentence that says what to fix', (_name, schema, value, sentence) => {
    expect(refusal(() => validate(schema, value))).toMatchObject({ code: 'validation_failed', message: sentence });
  });

  test('the error for a million wrong fields lists ten of them', () => {
    const body = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [`f${index}`, 1]));
    expect(refusal(() => validate(createClient.input, body)).details).toHaveLength(10);
  });

  test('null clears a nullable field', () => {
    expect(validate(updateClient.input, { plan_id: null, name: null })).toEqual({ plan_id: null, name: null });
  });

  test.each([
    [{}, { limit: 50, offset: 0 }],
    [
      { limit: '0', offset: '-3' },
      { limit: 1, offset: 0 },
    ],
    [
      { limit: '1000', offset: '7' },
      { limit: 100, offset: 7 },
    ],
    [
      { limit: 'many', offset: '1e99' },
      { limit: 50, offset: 2_147_483_647 },
    ],
    [
      { limit: '', offset: 'NaN' },
      { limit: 50, offset: 0 },
    ],
  ])('a page of %j is clamped or defaulted to %j', (query, page) => {
    expect(validate(listProjects.input, query)).toEqual(page);
  });

  const Pet = z.object({ id: z.string(), name: z.string(), tags: z.array(z.string()), owner: z.string().nullable() });

  test('a projection has exactly the id and the fields of the schema, in their order', () => {
    const stored = { owner: null, tags: ['a'], name: 'Rex', _id: 'p1', revision: 3, secret: 'x' };
    expect(JSON.stringify(createProjection(Pet)(stored))).toBe('{"id":"p1","name":"Rex","tags":["a"],"owner":null}');
  });

  test('computed fields are null, whatever the stored record has', () => {
    expect(createProjection(Pet, { tags: true })({ owner: 'Ada', name: 'Rex', _id: 'p1' })).toEqual({
      id: 'p1',
      name: 'Rex',
      tags: null,
      owner: 'Ada',
    });
  });

  test('times that are stored as dates are shown as ISO 8601, and as null where there is none', () => {
    const Visit = z.object({
      id: z.string(),
      began_at: z.iso.datetime(),
      ended_at: z.iso.datetime().nullable(),
      paid_at: z.iso.datetime().nullable(),
    });
    const [began_at, ended_at] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    expect(createProjection(withDates(Visit))({ _id: 'v1', began_at, ended_at, paid_at: null })).toEqual({
      id: 'v1',
      began_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-02T00:00:00.000Z',
      paid_at: null,
    });
  });

  test('the fields of a body are those of its schema', () => {
    expect(inputFields({ input: Pet.omit({ id: true }) })).toEqual(['name', 'tags', 'owner']);
  });
});

describe('parameter warnings', () => {
  test('a query whose every parameter counts as it stands has no warning', () => {
    const query = {
      limit: '100',
      offset: '0',
      cursor: 'WyJhIl0',
      q: 'ada',
      client_id: '018f0000-0000-7000-8000-000000000001',
      status: 'archived',
    };
    expect(parameterWarnings(listProjects, query)).toBeUndefined();
    expect(parameterWarnings(listProjects, { status: '', limit: undefined })).toBeUndefined();
  });

  test.each([
    [{ search: 'ada' }, 'search: not known here'],
    [{ limit: 'ten' }, 'limit: takes whole numbers from 1 to 100'],
    [{ limit: '0' }, 'limit: takes whole numbers from 1 to 100'],
    [{ limit: '101' }, 'limit: takes whole numbers from 1 to 100'],
    [{ offset: '-1' }, 'offset: takes whole numbers from 0'],
    [{ offset: '100001' }, 'offset: at most 100000; follow rel="next" of the Link header to go further'],
    [{ cursor: 'abc' }, 'cursor: not one that a page named; this is the first page'],
    [{ client_id: 'ada' }, 'client_id: takes an id such as 018f0000-0000-7000-8000-000000000001'],
    [{ status: 'live' }, 'status: takes active | archived'],
    [{ limit: 'ten', stauts: 'active' }, 'limit: takes whole numbers from 1 to 100, stauts: not known here'],
    [{ 'a\r\nSet-Cookie': 'x' }, 'a parameter: not known here'],
    [{ constructor: 'x' }, 'constructor: not known here'],
  ])('what is ignored or clamped is named: %j', (query, warning) => {
    expect(parameterWarnings(listProjects, query)).toBe(warning);
  });

  test('beside a cursor the offset only numbers the page, whatever it is', () => {
    expect(parameterWarnings(listProjects, { cursor: 'WyJhIl0', offset: '200000' })).toBeUndefined();
  });

  test.each([
    [{ country: 'de' }, 'country: takes two letters such as DE'],
    [{ device: 'phone' }, 'device: takes desktop | mobile | tablet | other'],
    [{ page: 'about' }, 'page: takes a path such as /about'],
    [{ from: 'yesterday' }, 'from: takes a day such as 2026-03-01'],
  ])('a filter of visits by what no view has is named: %j', (query, warning) => {
    expect(parameterWarnings(getVisits, query)).toBe(warning);
  });

  test('a filter by text that means true is told what it takes', () => {
    expect(parameterWarnings(listOrders, { overdue: 'yes' })).toBe('overdue: takes true | false');
  });

  test('the warnings of a long query are bounded', () => {
    const query = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`p${at}`, 'x']));
    expect(parameterWarnings(listProjects, query)?.split(', ')).toHaveLength(10);
  });
});
