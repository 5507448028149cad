import { listOrders } from '../areas/orders.ts';
import { listProjects } from '../areas/projects.ts';
import { parameterWarnings } from './parameter-warnings.ts';

test('a query whose every parameter counts as it stands has no warning', () => {
  const query = { limit: '100', offset: '0', cursor: 'abc', q: 'ada', client_id: 'x', status: 'archived' };
  expect(parameterWarnings(listProjects, query)).toBeUndefined();
  expect(parameterWarnings(listProjects, { status: '', limit: undefined })).toBeUndefined();
});

test.each([
  [{ search: 'ada' }, 'search: not known here'],
  [{ limit: 'ten' }, 'limit: takes whole numbers from 1 to 100'],
  [{ limit: '0' }, 'limit: takes whole numbers from 1 to 100'],
  [{ limit: '101' }, 'limit: takes whole numbers from 1 to 100'],
  [{ offset: '-1' }, 'offset: takes whole numbers from 0'],
  [{ offset: '100001' }, 'offset: at most 100000; follow rel="next" of the Link header to go further'],
  [{ status: 'live' }, 'status: takes active | archived'],
  [{ limit: 'ten', stauts: 'active' }, 'limit: takes whole numbers from 1 to 100, stauts: not known here'],
  [{ 'a\r\nSet-Cookie': 'x' }, 'a parameter: not known here'],
  [{ constructor: 'x' }, 'constructor: not known here'],
])('what is ignored or clamped is named: %j', (query, warning) => {
  expect(parameterWarnings(listProjects, query)).toBe(warning);
});

test('beside a cursor the offset only numbers the page, whatever it is', () => {
  expect(parameterWarnings(listProjects, { cursor: 'abc', offset: '200000' })).toBeUndefined();
});

test('a filter by text that means true is told what it takes', () => {
  expect(parameterWarnings(listOrders, { overdue: 'yes' })).toBe('overdue: takes true | false');
});

test('the warnings of a long query are bounded', () => {
  const query = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`p${at}`, 'x']));
  expect(parameterWarnings(listProjects, query)?.split(', ')).toHaveLength(10);
});
