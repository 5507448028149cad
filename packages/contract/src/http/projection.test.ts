import * as z from 'zod';
import { createProjection, inputFields, withDates } from './projection.ts';

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
