import * as z from 'zod';
import { createProjection, inputFields } from './projection.ts';

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

test('the fields of a body are those of its schema', () => {
  expect(inputFields({ input: Pet.omit({ id: true }) })).toEqual(['name', 'tags', 'owner']);
});
