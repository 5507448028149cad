import { looksLikeSpam } from './accept-submission.ts';
import { readFields } from './form-fields.ts';

const classify = (sent: Record<string, string>) => {
  const { fields, controls } = readFields(Object.entries(sent));
  return looksLikeSpam(fields, controls);
};

test.each([
  ['a filled honeypot', { message: 'Hello', _gotcha: 'x' }],
  ['six links', { a: 'http://a.example https://b.example www.c.example', b: 'HTTP://d.example www.e.example https://f.example' }],
  ['links in HTML', { message: 'See <a rel="x" HREF="//a.example">this</a>' }],
  ['links in BBCode', { message: '[url=//a.example]this[/url]' }],
])('%s is spam', (_what, sent) => {
  expect(classify(sent)).toBe(true);
});

test.each([
  ['an empty honeypot', { message: 'Hello', _gotcha: ' ' }],
  ['five links', { a: 'https://a.example https://b.example www.c.example https://d.example www.e.example' }],
  ['angle brackets', { message: 'a < b, <address> & [urls]' }],
])('%s is not spam', (_what, sent) => {
  expect(classify(sent)).toBe(false);
});

test('a long text of almost-links is classified without backtracking', () => {
  expect(classify(Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`f${index}`, '<a '.repeat(3_333)])))).toBe(false);
});
