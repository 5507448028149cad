import { startPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { smallFormsStream, surviveFullStream } from './runs/outages/full-stream.ts';

jest.setTimeout(faultTimeoutMs);

test('a full stream of forms stops no webhook, mail or form; what waited arrives once there is room', async () => {
  await using platform = await startPlatform({ env: smallFormsStream });
  expectHeld(await surviveFullStream(platform, { clients: 5, forms: 5, waits: false }));
});
