import * as z from 'zod';
import { createClient, updateClient } from '../areas/clients.ts';
import { createPlan } from '../areas/plans.ts';
import { listProjects, updateProject } from '../areas/projects.ts';
import { AppError } from '../errors.ts';
import { createProjection, inputFields, validate, withDates } from './conversions.ts';

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
  ['a value outside an enumeration', updateClient.input, { status: 'gone' }, 'status: must be one of invited, active, suspended, churned.'],
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
