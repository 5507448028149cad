import * as z from 'zod';
import { definitionOf, fieldsOf } from './record-schema.ts';

const Pet = z.object({
  id: z.uuid(),
  org_id: z.uuid(),
  name: z.string(),
  email: z.string().pipe(z.email()),
  born_at: z.iso.datetime().nullable(),
  kind: z.enum(['cat', 'dog']),
  age: z.int(),
  tags: z.array(z.string()),
  is_tame: z.boolean(),
});

test('a document has the fields of the public record, except id and organization', () => {
  expect(fieldsOf(Pet)).toEqual(['name', 'email', 'born_at', 'kind', 'age', 'tags', 'is_tame']);
});

test('a nullable field defaults to null, a list to empty; everything else is required', () => {
  expect(definitionOf(Pet)).toEqual({
    name: { type: String, required: true },
    email: { type: String, required: true },
    born_at: { type: String, default: null },
    kind: { type: String, required: true },
    age: { type: Number, required: true },
    tags: { type: [String], default: [] },
    is_tame: { type: Boolean, required: true },
  });
});

test('a schema without a matching document type is refused', () => {
  expect(() => definitionOf(z.object({ owner: z.object({ name: z.string() }) }))).toThrow('owner');
});
