import type { ErrorCode } from '@webkiln/contract';
import { counter, gauge } from '@webkiln/runtime';

interface Slots {
  readonly inFlight: number;
  readonly waiting: number;
}

const slots = new Map<string, Slots>();
const refused = counter({
  name: 'webkiln_gateway_refused_total',
  help: 'Requests and connections that a bound refused or cut, by bound and error code',
  labelNames: ['bound', 'code'],
});
gauge({
  name: 'webkiln_gateway_in_flight',
  help: 'Requests that hold a slot, by bound',
  labelNames: ['bound'],
  collect() {
    for (const [bound, { inFlight }] of slots) this.set({ bound }, inFlight);
  },
});
gauge({
  name: 'webkiln_gateway_waiting',
  help: 'Requests that wait for a slot, by bound',
  labelNames: ['bound'],
  collect() {
    for (const [bound, { waiting }] of slots) this.set({ bound }, waiting);
  },
});

/** Shows the slots of a bound in the metrics from now on. */
export function observeSlots(bound: string, observed: Slots): void {
  slots.set(bound, observed);
}

export const countRefusal = (bound: string, code: ErrorCode): void => refused.inc({ bound, code });
