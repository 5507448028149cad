import { database } from '../connection.ts';
import { prepareStore } from '../migration/open-store.ts';
import { useTestStore } from '../testing/index.ts';
import { defineGlobalModel } from './define-model.ts';
import { createIndexes } from './indexes.ts';

const expiry = [{ expires_at: 1 }, { expireAfterSeconds: 0 }] as const;
const definition = { expires_at: Date };
defineGlobalModel<{ expires_at: Date }>('raising', definition, { raisesEvents: true, indexes: [expiry] });
defineGlobalModel<{ expires_at: Date }>('silent', definition, { indexes: [expiry] });

useTestStore();

const expiringIndexes = async (collection: string) => {
  const indexes = await database().collection(collection).indexes();
  return indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined).map(({ name }) => name);
};

test('the expiry of an earlier release, which deletes records whose events wait, is replaced at start', async () => {
  await database().collection('raising').createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
  expect(await expiringIndexes('raising')).toEqual(['expires_at_1_settled', 'expires_at_1']);
  for (let starts = 0; starts < 2; starts++) {
    await createIndexes();
    expect(await expiringIndexes('raising')).toEqual(['expires_at_1_settled']);
  }
});

test('records that raise no events expire as they did', async () => {
  expect(await expiringIndexes('silent')).toEqual(['expires_at_1']);
});

test('a collection whose module is loaded after the store was prepared is refused: it would have no indexes', async () => {
  await prepareStore('identity', { MIGRATE_AT_START: true });
  expect(() => defineGlobalModel('late', definition)).toThrow('the module of late is loaded after the store was prepared');
});
