import type { FakeStripe, FakeStripeControls, FakeStripeOptions } from './controls.ts';

export type {
  CardName,
  ChargeRecord,
  Delivery,
  DeliveryOptions,
  FakeStripe,
  FakeStripeControls,
  FakeStripeOptions,
  Fault,
  RequestRecord,
} from './controls.ts';

/** Starts a server on this machine. */
export async function startFakeStripe(_options: FakeStripeOptions = {}): Promise<FakeStripe> {
  throw new Error('the server is not there yet');
}

/** The controls of a server in another process. */
export function fakeStripeAt(_url: string): FakeStripeControls {
  throw new Error('the server is not there yet');
}
