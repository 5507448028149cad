import { listOrders } from '../areas/orders.ts';
import { listProjects } from '../areas/projects.ts';
import { getVisits } from '../areas/visits.ts';
import { parameterWarnings } from './parameter-warnings.ts';

test('a query whose every parameter counts as it stands has no warning', () => {
  const query = {
    limit: '100',
    offset: '0',
    cursor: 'WyJhIl0',
    q: 'ada',
    client_id: '018f0000-0000-7000-8000-000000000001',
    status: 'archived',
  };
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
  [{ cursor: 'abc' }, 'cursor: not one that a page named; this is the first page'],
  [{ client_id: 'ada' }, 'client_id: takes an id such as 018f0000-0000-7000-8000-000000000001'],
  [{ status: 'live' }, 'status: takes active | archived'],
  [{ limit: 'ten', stauts: 'active' }, 'limit: takes whole numbers from 1 to 100, stauts: not known here'],
  [{ 'a\r\nSet-Cookie': 'x' }, 'a parameter: not known here'],
  [{ constructor: 'x' }, 'constructor: not known here'],
])('what is ignored or clamped is named: %j', (query, warning) => {
  expect(parameterWarnings(listProjects, query)).toBe(warning);
});

test('beside a cursor the offset only numbers the page, whatever it is', () => {
  expect(parameterWarnings(listProjects, { cursor: 'WyJhIl0', offset: '200000' })).toBeUndefined();
});

test.each([
  [{ country: 'de' }, 'country: takes two letters such as DE'],
  [{ device: 'phone' }, 'device: takes desktop | mobile | tablet | other'],
  [{ page: 'about' }, 'page: takes a path such as /about'],
  [{ from: 'yesterday' }, 'from: takes a day such as 2026-03-01'],
])('a filter of visits by what no view has is named: %j', (query, warning) => {
  expect(parameterWarnings(getVisits, query)).toBe(warning);
});

test('a filter by text that means true is told what it takes', () => {
  expect(parameterWarnings(listOrders, { overdue: 'yes' })).toBe('overdue: takes true | false');
});

test('the warnings of a long query are bounded', () => {
  const query = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`p${at}`, 'x']));
  expect(parameterWarnings(listProjects, query)?.split(', ')).toHaveLength(10);
});
