import mongoose from 'mongoose';
import { checkedRecord } from './checked-record.ts';
import { defineModel } from './define-model.ts';
import { rawModel } from './models.ts';

interface Every {
  text: string;
  nullable: string | null;
  optional?: string | undefined;
  count: number;
  isOpen: boolean;
  at: Date;
  tags: string[];
  needed: number[];
  anything: unknown;
  madeAt: Date;
}

const Every = defineModel<Every>('every', {
  text: { type: String, required: true },
  nullable: { type: String, default: null },
  optional: { type: String },
  count: { type: Number, required: true },
  isOpen: { type: Boolean, default: false },
  at: { type: Date, required: true },
  tags: [String],
  needed: { type: [Number], required: true },
  anything: { type: mongoose.Schema.Types.Mixed, default: null },
  madeAt: { type: Date, default: () => new Date(0) },
});

const least = { _id: 'a', org_id: 'org', revision: 1, text: 'text', count: 1, at: new Date(5), needed: [1] };

test.each([
  ['defaults', least],
  ['fields without a value', { ...least, nullable: undefined, optional: undefined, tags: undefined }],
  ['every field', { ...least, optional: 'o', isOpen: true, tags: ['a', 'b'], anything: { of: ['any', 1] }, outbox: [{ id: 'e' }] }],
  ['empty texts and lists', { ...least, nullable: '', tags: [], needed: [] }],
  ['null', { ...least, nullable: null, anything: null, at: new Date(6) }],
  ['values to cast', { ...least, count: '7', at: '2026-01-01T00:00:00Z', tags: [1], isOpen: 'true', madeAt: 9 }],
])('a record with %s is stored as mongoose would store it', async (_name, record) => {
  const bymongoose = new (rawModel(Every))(record).toObject();
  expect(await checkedRecord(Every, record)).toEqual(bymongoose);
});

test.each([
  ['an unknown field', { ...least, other: 1 }],
  ['no required text', { ...least, text: undefined }],
  ['an empty required text', { ...least, text: '' }],
  ['a required null', { ...least, count: null }],
  ['a text for a number', { ...least, count: 'many' }],
  ['no number', { ...least, count: Number.NaN }],
  ['an invalid date', { ...least, at: new Date('never') }],
  ['an object for a text', { ...least, nullable: { $gt: '' } }],
  ['an object in a list of texts', { ...least, tags: ['a', { $gt: '' }] }],
])('a record with %s is refused', async (_name, record) => {
  await expect(checkedRecord(Every, record)).rejects.toThrow();
});
