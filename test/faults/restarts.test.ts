import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { oneOfEachKind, restartUnderLoad } from './runs/outages/rolling-restart.ts';

jest.setTimeout(faultTimeoutMs);

test('restarting a process of each kind in turn under 100 requests per second fails no request and loses no part of a stream', async () => {
  expectHeld(await restartUnderLoad({ rounds: 1, restarted: oneOfEachKind }));
});
