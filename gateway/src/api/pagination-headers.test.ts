import { paginationHeaders } from './pagination-headers.ts';

const url = 'http://localhost/api/v1/projects';

test('a middle page links to first, prev, next and last, and keeps the filters', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 20, q: 'a&b' }, 45)).toEqual([
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

test('a page that holds the whole list has no Link header', () => {
  expect(paginationHeaders(url, { limit: 50, offset: 0 }, 50)).toEqual(['X-Total-Count', '50']);
});

test('a whole list that was cut off at the cap links to the rest', () => {
  expect(paginationHeaders(url, { offset: 0 }, 1200).at(-1)).toContain(`<${url}?limit=100&offset=1000>; rel="next"`);
});
