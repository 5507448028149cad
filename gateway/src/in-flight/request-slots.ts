import { AppError } from '@webkiln/contract';
import { FairSlots, type FairSlotsOptions } from '@webkiln/runtime';
import { countRefusal, observeSlots } from './metrics.ts';

interface Options extends Omit<FairSlotsOptions, 'refusal' | 'ranks'> {
  /** Name of the bound in the metrics: "proxy sites". */
  readonly bound: string;
}

/**
 * Slots of requests, by client network or credential. A refusal is `too_many_in_flight` if the key has all that one key
 * may have, else `overloaded`.
 */
export class RequestSlots extends FairSlots {
  constructor({ bound, ...limits }: Options) {
    const refusal = (isOwnFault: boolean) => {
      const code = isOwnFault ? 'too_many_in_flight' : 'overloaded';
      countRefusal(bound, code);
      return new AppError(code);
    };
    super({ ...limits, refusal });
    observeSlots(bound, this);
  }
}
