import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { countStored } from '../testing/stored-files.ts';
import { startGarbageCollection } from './garbage-collection.ts';
import { storeFiles } from './store-files.ts';

useTestStore();

test('unreferenced files are deleted periodically once their grace period is over', async () => {
  const org_id = randomUUID();
  await storeFiles({ org_id }, [{ path: 'index.html', content: Buffer.from('lost') }], null);
  const stop = startGarbageCollection(200);
  await until(async () => (await countStored(org_id)).chunks === 0);
  expect(await countStored(org_id)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
  stop();
});
