import { csvText, prefersCsv } from './csv.ts';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [7, '7'],
  [-7, '-7'],
  [null, ''],
  ['', ''],
  ['ü 語', 'ü 語'],
])('CSV cell %j is written as %s', (cell, written) => {
  expect(csvText([[cell]])).toBe(`${written}\r\n`);
});

test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx'])('text %j cannot run as a spreadsheet formula', (text) => {
  expect(csvText([[text]])).toMatch(/^"?'/);
});

test('CSV has one line per row and commas between cells', () => {
  expect(csvText([['date', 'views'], ['2026-03-01', 5], []])).toBe('date,views\r\n2026-03-01,5\r\n\r\n');
});

test.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['text/csv, application/json;q=0.9', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['application/json, text/csv;q=0.9', false],
  ['application/json, text/csv', false],
  ['text/csv;q=0', false],
])('Accept: %s prefers CSV: %s', (accept, wanted) => {
  expect(prefersCsv(accept)).toBe(wanted);
});
