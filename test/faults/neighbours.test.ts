import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { liveBeside } from './runs/neighbours/live-beside.ts';
import { NeighbourPlatform } from './runs/neighbours/neighbour-platform.ts';
import { nuisancesWith } from './runs/neighbours/nuisances/index.ts';

jest.setTimeout(faultTimeoutMs);

const nuisances = nuisancesWith({ replayedEvents: 50 });

/** On a slow machine the neighbour's own requests wait for each other, with as few places as it has here. */
const patient = { QUEUE_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '60000' };

let place: NeighbourPlatform;
beforeAll(async () => {
  place = await NeighbourPlatform.start(nuisances, patient);
});
afterAll(() => place[Symbol.asyncDispose]());

test.each(nuisances.map((nuisance) => [nuisance.what, nuisance] as const))('a neighbour loses nothing while %s', async (_, nuisance) => {
  await nuisance.prepare?.(place.scene);
  const { life, did, failures } = await liveBeside(place, nuisance, 3000);
  expectHeld({ seed: 0, tries: life.tries, figure: did, failures });
});
