import { paginationHeaders } from './pagination-headers.ts';

const url = 'http://localhost/api/v1/projects';

test('a middle page links to first, prev, next and last, and keeps the filters', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 20, q: 'a&b' }, { total: 45 })).toEqual([
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
  expect(paginationHeaders(url, { limit: 50, offset: 0 }, { total: 50 })).toEqual(['X-Total-Count', '50']);
});

test('a whole list that was cut off at the cap links to the rest', () => {
  expect(paginationHeaders(url, { offset: 0 }, { total: 1200 }).at(-1)).toContain(`<${url}?limit=100&offset=1000>; rel="next"`);
});

test('next goes by the cursor of the reply, also beyond the largest offset, where the pages before it have no links', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 200_000, cursor: 'abc' }, { total: 900_000, next_cursor: 'def' })).toEqual([
    'X-Total-Count',
    '900000',
    'Link',
    `<${url}?limit=10&offset=0>; rel="first", <${url}?limit=10&offset=200010&cursor=def>; rel="next"`,
  ]);
});

test('a list ends where the reply has no cursor, whatever the total was a moment ago', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 0 }, { total: 2000, next_cursor: '' })).toEqual(['X-Total-Count', '2000']);
});

test('an offset that was clamped is named', () => {
  const headers = paginationHeaders(url, { limit: 10, offset: 100_001 }, { total: 900_000, next_cursor: 'def' });
  expect(headers.at(-2)).toBe('X-Parameter-Warnings');
  expect(headers.join()).toContain('offset=100010&cursor=def>; rel="next"');
});
