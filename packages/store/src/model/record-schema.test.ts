import mongoose from 'mongoose';
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
  seen_at: z.date(),
  home: z.object({ city: z.string() }),
  is_chipped: z.boolean().optional(),
});

test('a document has the fields of the public record, except id and organization', () => {
  expect(fieldsOf(Pet)).toEqual(['name', 'email', 'born_at', 'kind', 'age', 'tags', 'is_tame', 'seen_at', 'home', 'is_chipped']);
});

test('a nullable field defaults to null, an optional one is absent; everything else is required', () => {
  expect(definitionOf(Pet)).toEqual({
    name: { type: String, required: true },
    email: { type: String, required: true },
    born_at: { type: String, default: null },
    kind: { type: String, required: true },
    age: { type: Number, required: true },
    tags: { type: [String], required: true },
    is_tame: { type: Boolean, required: true },
    seen_at: { type: Date, required: true },
    home: { type: mongoose.Schema.Types.Mixed, required: true },
    is_chipped: { type: Boolean },
  });
});

test('a schema without a matching document type is refused', () => {
  expect(() => definitionOf(z.object({ owners: z.array(z.object({ name: z.string() })) }))).toThrow('owners');
});
