import { protoFile } from './proto-file.ts';
import type { ProtoField } from './proto-messages.ts';

const text = (name: string, type = 'string', label: ProtoField['label'] = ''): ProtoField => ({ name, type, label });
const file = (fields: readonly ProtoField[], previous = '') =>
  protoFile('webkiln.pets.v1', [{ name: 'webkiln.pets.v1.Pet', fields }], previous);
const bodyOf = (proto: string) =>
  /message Pet \{([^}]*)\}/
    .exec(proto)?.[1]
    ?.split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const first = file([text('id'), text('age', 'int32', 'optional '), text('tags', 'string', 'repeated ')]);

test('fields are numbered in the order of the schema', () => {
  expect(bodyOf(first)).toEqual(['string id = 1;', 'optional int32 age = 2;', 'repeated string tags = 3;']);
});

test('a field keeps its number when it moves, and a new one gets the next free number', () => {
  const next = file([text('tags', 'string', 'repeated '), text('color'), text('id'), text('age', 'int32')], first);
  expect(bodyOf(next)).toEqual(['string id = 1;', 'int32 age = 2;', 'repeated string tags = 3;', 'string color = 4;']);
});

test('the number and name of a removed field stay reserved', () => {
  const without = file([text('id'), text('age', 'int32')], first);
  expect(bodyOf(without)).toEqual(['reserved 3;', 'reserved "tags";', 'string id = 1;', 'int32 age = 2;']);
  const later = file([text('id'), text('color')], without);
  expect(bodyOf(later)).toEqual(['reserved 2, 3;', 'reserved "tags", "age";', 'string id = 1;', 'string color = 4;']);
  expect(() => file([text('id'), text('tags')], later)).toThrow('Pet.tags: a removed field had this name');
});

test('a field cannot change its type or become a list', () => {
  expect(() => file([text('id', 'int32')], first)).toThrow('Pet.id: a field cannot change its type');
  expect(() => file([text('id', 'string', 'repeated ')], first)).toThrow('Pet.id: a field cannot change its type');
});

test('writing a file again changes nothing', () => {
  const fields = [text('id'), text('color'), text('owner', 'webkiln.people.v1.Owner'), text('parent', 'webkiln.pets.v1.Pet', 'optional ')];
  const once = file(fields, first);
  expect(file(fields, once)).toBe(once);
  expect(once).toContain('import "webkiln/people/v1/records.proto";');
  expect(bodyOf(once)).toContain('optional Pet parent = 6;');
});
