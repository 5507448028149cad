import { assertFewValues } from './assert-few-values.ts';

const refused = expect.objectContaining({ code: 'validation_failed' });

test('a body of a few long strings is accepted, whatever the strings contain', () => {
  const text = '{"a":[1,2,3]},\\"quoted\\"'.repeat(100_000);
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ 'index.html': text, 'b.js': { content: text } })))).not.toThrow();
});

test('a deploy of 2,000 files is accepted', () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}`, { content: '', encoding: 'base64' }]));
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ builtFiles: files })))).not.toThrow();
});

test.each([
  ['keys', `{${'"a":"",'.repeat(20_000)}"b":""}`],
  ['arrays', '[],'.repeat(30_000)],
  ['nesting levels', '['.repeat(30_000)],
  ['objects', '{},'.repeat(30_000)],
])('a body with more than 20,000 %s is refused with validation_failed', (_, text) => {
  expect(() => assertFewValues(Buffer.from(text))).toThrow(refused);
});
