import { newId, seedIds } from './ids.ts';

const idempotency = { id: 'credential, route and key', body: 'body', explicit: true };
const uuid = (version: number) => new RegExp(`^[\\da-f]{8}-[\\da-f]{4}-${version}[\\da-f]{3}-[89ab][\\da-f]{3}-[\\da-f]{12}$`);

test('every attempt of a request derives the same ids, one per label, as UUIDs of version 8', () => {
  const [project, user] = [newId({ idempotency }), newId({ idempotency }, 'user')];
  expect([newId({ idempotency }), newId({ idempotency }, 'user')]).toEqual([project, user]);
  expect(project).not.toBe(user);
  expect(project).toMatch(uuid(8));
});

test('another request, or the same one as a new request, derives other ids', () => {
  const again = { ...idempotency };
  seedIds(again, 'a new beginning');
  const ids = [newId({ idempotency }), newId({ idempotency: again }), newId({ idempotency: { ...idempotency, id: 'another key' } })];
  expect(new Set(ids).size).toBe(3);
});

test('without an idempotency an id is random', () => {
  expect(newId({})).not.toBe(newId({}));
  expect(newId(undefined)).toMatch(uuid(4));
});
