import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { reachNobodyInside } from './runs/webhook-addresses.ts';

test(
  'no webhook reaches anybody inside, whatever the form of the address, at create, patch, test or send',
  async () => {
    expectHeld(await reachNobodyInside());
  },
  faultsWithinMs,
);
