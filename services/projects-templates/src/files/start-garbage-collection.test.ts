import { randomUUID } from 'node:crypto';
import { until, useTestStore } from '@webkiln/store/testing';
import { storedOf } from '../testing/stored-files.ts';
import { startReclaiming } from './start-reclaiming.ts';
import { storeFiles } from './store-files.ts';

useTestStore();

test('files that nobody uses go by themselves once their grace time is over', async () => {
  const org_id = randomUUID();
  await storeFiles({ org_id }, [{ path: 'index.html', content: Buffer.from('lost') }], null);
  const stop = startReclaiming(200);
  await until(async () => (await storedOf(org_id)).chunks === 0);
  expect(await storedOf(org_id)).toEqual({ manifests: 0, chunks: 0, held: 0 });
  stop();
});
