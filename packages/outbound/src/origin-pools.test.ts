import { setTimeout as pause } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { OriginPools } from './origin-pools.ts';

const connect = buildConnector({});

test('an origin keeps its connections until they reach the maximum age', async () => {
  const lasting = new OriginPools(connect);
  expect(lasting.of('https://hooks.example')).toBe(lasting.of('https://hooks.example'));
  const shortLived = new OriginPools(connect, 1);
  const first = shortLived.of('https://hooks.example');
  while (shortLived.of('https://hooks.example') === first) await pause(1);
  expect(first.closed).toBe(true);
  await Promise.all([lasting.destroy(), shortLived.destroy()]);
});

test('the least recently used origin is closed when there are too many', async () => {
  const kept = new OriginPools(connect);
  const oldest = kept.of('https://oldest.example');
  const busy = kept.of('https://busy.example');
  for (let n = 0; n < 1_023; n += 1) {
    kept.of(`https://n${n}.example`);
    kept.of('https://busy.example');
  }
  expect(oldest.closed).toBe(true);
  expect(kept.of('https://busy.example')).toBe(busy);
  await kept.destroy();
  expect(busy.destroyed).toBe(true);
});
