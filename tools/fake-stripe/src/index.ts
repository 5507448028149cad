export {
  type CardName,
  type ChargeRecord,
  type Delivery,
  type DeliveryOptions,
  type FakeStripe,
  type FakeStripeControls,
  type FakeStripeOptions,
  type Fault,
  fakeStripeAt,
  type RequestRecord,
} from './controls.ts';
export { startFakeStripe } from './server.ts';
