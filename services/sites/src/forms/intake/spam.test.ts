import { readFields } from './form-fields.ts';
import { looksLikeSpam } from './spam.ts';

const judged = (sent: Record<string, string>) => {
  const { fields, controls } = readFields(Object.entries(sent));
  return looksLikeSpam(fields, controls);
};

test.each([
  ['the field that people do not see', { message: 'Hello', _gotcha: 'x' }],
  ['six links', { a: 'http://a.example https://b.example www.c.example', b: 'HTTP://d.example www.e.example https://f.example' }],
  ['links in HTML', { message: 'See <a rel="x" HREF="//a.example">this</a>' }],
  ['links in BBCode', { message: '[url=//a.example]this[/url]' }],
])('%s is spam', (_what, sent) => {
  expect(judged(sent)).toBe(true);
});

test.each([
  ['an empty field that people do not see', { message: 'Hello', _gotcha: ' ' }],
  ['five links', { a: 'https://a.example https://b.example www.c.example https://d.example www.e.example' }],
  ['angle brackets', { message: 'a < b, <address> & [urls]' }],
])('%s is none', (_what, sent) => {
  expect(judged(sent)).toBe(false);
});

test('a long text that almost has a link is judged at once', () => {
  expect(judged(Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, '<a '.repeat(3_333)])))).toBe(false);
});
