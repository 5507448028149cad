import { firstDay, usageOf } from './usage.ts';

const keys = new Map([['a', { name: 'CI', prefix: 'wk_12345' }]]);
const row = (key_id: string | null, day: string, requests: number, client_errors = 0, server_errors = 0) => ({
  ...{ key_id, day: new Date(day), requests, client_errors, server_errors },
});

test('the last days are UTC days and include today', () => {
  expect(firstDay(Date.parse('2026-03-02T23:59:59Z'), 1)).toBe('2026-03-02');
  expect(firstDay(Date.parse('2026-03-02T00:00:00Z'), 7)).toBe('2026-02-24');
});

test('usage is summed by key, busiest first, and by day without gaps', () => {
  const rows = [row('a', '2026-02-27', 5, 1), row('a', '2026-03-01', 5, 0, 2), row('gone', '2026-02-27', 3), row(null, '2026-02-28', 20)];
  expect(usageOf(rows, '2026-02-27', 3, keys)).toEqual({
    ...{ requests: 33, client_errors: 1, server_errors: 2 },
    keys: [
      { key_id: null, name: null, prefix: null, requests: 20, client_errors: 0, server_errors: 0, last_used_on: '2026-02-28' },
      { key_id: 'a', name: 'CI', prefix: 'wk_12345', requests: 10, client_errors: 1, server_errors: 2, last_used_on: '2026-03-01' },
      { key_id: 'gone', name: null, prefix: null, requests: 3, client_errors: 0, server_errors: 0, last_used_on: '2026-02-27' },
    ],
    days: [
      { date: '2026-02-27', requests: 8, client_errors: 1, server_errors: 0 },
      { date: '2026-02-28', requests: 20, client_errors: 0, server_errors: 0 },
      { date: '2026-03-01', requests: 5, client_errors: 0, server_errors: 2 },
    ],
  });
});
