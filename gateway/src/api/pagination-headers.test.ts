import { pageHeaders } from './links.ts';

const url = 'http://localhost/api/v1/projects';

test('a page in the middle links first, prev, next and last, and keeps the filters', () => {
  expect(pageHeaders(url, { limit: 10, offset: 20, q: 'a&b' }, 45)).toEqual([
    'X-Total-Count',
    '45',
    'Link',
    [
      `<${url}?q=a%26b&limit=10&offset=0>; rel="first"`,
      `<${url}?q=a%26b&limit=10&offset=10>; rel="prev"`,
      `<${url}?q=a%26b&limit=10&offset=30>; rel="next"`,
      `<${url}?q=a%26b&limit=10&offset=40>; rel="last"`,
    ].join(', '),
  ]);
});

test('a page that holds everything links nowhere', () => {
  expect(pageHeaders(url, { limit: 50, offset: 0 }, 50)).toEqual(['X-Total-Count', '50']);
});

test('a whole list that was cut off links to what is left', () => {
  expect(pageHeaders(url, { offset: 0 }, 1200).at(-1)).toContain(`<${url}?limit=100&offset=1000>; rel="next"`);
});
