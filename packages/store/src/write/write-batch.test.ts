import { randomUUID } from 'node:crypto';
import { runInTransactionOnce } from '../idempotency/handled-events.ts';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { useTestStore } from '../testing/index.ts';
import { writeBatch } from './write-batch.ts';

const Counts = defineModel<{ name: string; total: number }>('batched_counts', { name: String, total: Number });

useTestStore();

const totals = async (...orgs: string[]) =>
  Promise.all(
    orgs.map(async (org_id) => (await scoped(Counts, { org_id }).find({})).map(({ name, total, revision }) => [name, total, revision])),
  );

test('one transaction inserts records and creates and increments numbers of several organizations', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const first = { name: 'counted' };
  for (const key of [randomUUID(), randomUUID()]) {
    await runInTransactionOnce(key, (session) =>
      writeBatch(Counts, session, [
        { org_id: one, _id: `${one} counted`, first, add: { total: 2 } },
        { org_id: other, _id: `${other} counted`, first, add: { total: 3 } },
        { org_id: other, record: { _id: randomUUID(), name: 'added', total: 0 } },
      ]),
    );
  }
  expect(await totals(one, other)).toEqual([
    [['counted', 4, 1]],
    expect.arrayContaining([
      ['counted', 6, 1],
      ['added', 0, 1],
    ]),
  ]);
});

test('a failed batch writes nothing', async () => {
  const org_id = randomUUID();
  const record = { _id: randomUUID(), name: 'twice', total: 0 };
  const failing = runInTransactionOnce(randomUUID(), (session) =>
    writeBatch(Counts, session, [
      { org_id, _id: `${org_id} counted`, first: { name: 'counted' }, add: { total: 1 } },
      { org_id, record },
      { org_id, record },
    ]),
  );
  await expect(failing).rejects.toThrow('duplicate key');
  expect(await totals(org_id)).toEqual([[]]);
});

test('a record of another organization with the same id is not incremented', async () => {
  const [one, other, _id] = [randomUUID(), randomUUID(), randomUUID()];
  const adding = (org_id: string) =>
    runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [{ org_id, _id, first: { name: 'own' }, add: { total: 1 } }]),
    );
  await adding(one);
  await expect(adding(other)).rejects.toThrow('duplicate key');
  expect(await totals(one, other)).toEqual([[['own', 1, 1]], []]);
});

test('a batch requires an organization', async () => {
  const nobodys = runInTransactionOnce(randomUUID(), (session) =>
    writeBatch(Counts, session, [{ org_id: '', _id: 'a', first: {}, add: { total: 1 } }]),
  );
  await expect(nobodys).rejects.toThrow(TypeError);
});

test('concurrent batches on the same numbers are all counted', async () => {
  const org_id = randomUUID();
  const add = () =>
    runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [{ org_id, _id: org_id, first: { name: 'busy' }, add: { total: 1 } }]),
    );
  await add();
  await Promise.all([add(), add()]);
  expect(await totals(org_id)).toEqual([[['busy', 3, 1]]]);
});
