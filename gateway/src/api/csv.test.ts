import { csvText, wantsCsv } from './csv.ts';

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
])('the cell %j is written as %s', (cell, written) => {
  expect(csvText([[cell]])).toBe(`${written}\r\n`);
});

test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx'])('the text %j is no formula', (text) => {
  expect(csvText([[text]])).toMatch(/^"?'/);
});

test('each row is a line of its own, its cells with commas between them', () => {
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
])('Accept: %s asks for a table: %s', (accept, wanted) => {
  expect(wantsCsv(accept)).toBe(wanted);
});
