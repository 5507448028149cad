import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { rotateUnderLoad } from './runs/rotation/rotated-secrets.ts';

jest.setTimeout(faultTimeoutMs);

test('rotating every listed secret and the signing keys in three steps under load fails no request, loses nothing used meanwhile, and ends what the old ones made', async () => {
  expectHeld(await rotateUnderLoad());
});
