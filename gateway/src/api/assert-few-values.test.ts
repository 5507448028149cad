import { assertFewValues } from './assert-few-values.ts';

const refused = expect.objectContaining({ code: 'validation_failed' });

test('a few long texts are taken, whatever stands in them', () => {
  const text = '{"a":[1,2,3]},\\"quoted\\"'.repeat(100_000);
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ 'index.html': text, 'b.js': { content: text } })))).not.toThrow();
});

test('what 2,000 files need is taken', () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}`, { content: '', encoding: 'base64' }]));
  expect(() => assertFewValues(Buffer.from(JSON.stringify({ builtFiles: files })))).not.toThrow();
});

test.each([
  ['keys', `{${'"a":"",'.repeat(20_000)}"b":""}`],
  ['lists', '[],'.repeat(30_000)],
  ['depths', '['.repeat(30_000)],
  ['objects', '{},'.repeat(30_000)],
])('a great many %s are refused', (_, text) => {
  expect(() => assertFewValues(Buffer.from(text))).toThrow(refused);
});
