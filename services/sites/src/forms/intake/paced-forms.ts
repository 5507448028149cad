import { Pace } from '@webkiln/runtime';
import { FormRefusal } from './form-refusal.ts';

/** Submissions of one organization that this process stores: a flood must leave the processors to pages. */
const rate = { perSecond: 10, burst: 20 };
/** As long as people wait for a form. */
const defaultMaxWaitMs = 5000;

/** `accept` at a pace for each organization. Also throws the `FormRefusal` `overloaded`, if too many wait. */
export function paced<Sent extends { readonly org_id: string }>(
  accept: (sent: Sent) => Promise<void>,
  maxWaitMs = defaultMaxWaitMs,
): (sent: Sent) => Promise<void> {
  const pace = new Pace({ maxWaitMs, refusal: () => new FormRefusal('overloaded') });
  return async (sent) => {
    await pace.wait(sent.org_id, rate);
    await accept(sent);
  };
}
