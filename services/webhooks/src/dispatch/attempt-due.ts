import { logger } from '@webkiln/runtime';
import { type DeliveryRecord, saveOutcome } from '../deliveries/delivery-store.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { Slot } from './lane.ts';
import { outcomeOf } from './outcomes.ts';
import type { Receiver } from './sender.ts';

/**
 * Makes an attempt for a delivery that this process has claimed. Where its outcome cannot be written the claim runs out, and it is made
 * again. Never rejects.
 */
export async function attemptDue(parts: DispatchParts, slot: Slot, receiver: Receiver, delivery: DeliveryRecord): Promise<void> {
  const { lanes, sender, health, settings, underWay } = parts;
  const claim = delivery.claim ?? '';
  underWay.claimed(receiver, delivery._id, claim);
  const sent = await sender.send(receiver, delivery.event_id, delivery.body);
  lanes.release(slot, { latencyMs: sent.attempt.latency_ms, timedOut: sent.timedOut });
  const outcome = outcomeOf(settings, receiver, delivery, sent);
  try {
    await saveOutcome(receiver, delivery._id, claim, outcome);
  } catch (error) {
    logger.warn({ err: error, event_id: delivery.event_id }, 'an outcome could not be written');
  }
  underWay.settled(delivery._id);
  health.note(receiver, sent);
  if (outcome.due_at !== null) parts.dueAt(outcome.due_at);
}
