import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { refuseForbiddenAddresses } from './runs/webhooks/forbidden-addresses.ts';

test(
  'no webhook reaches an internal address, in any spelling, at create, patch, test or send',
  async () => {
    expectHeld(await refuseForbiddenAddresses());
  },
  faultTimeoutMs,
);
