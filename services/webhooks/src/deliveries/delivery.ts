import { hash } from 'node:crypto';
import type { Delivery, WebhookEvent } from '@webkiln/contract';

export type DeliveryStatus = Delivery['status'];

/** One try to deliver; `at` is ISO 8601. */
export interface Attempt {
  at: string;
  /** Null where the receiver did not answer. */
  status_code: number | null;
  latency_ms: number;
  /** The first kilobyte of the answer. */
  response: string | null;
  /** In words, where it failed. */
  reason: string | null;
}

/** What became of one event at one endpoint. Times that are shown are ISO 8601 in UTC; those that are worked with are dates. */
export interface DeliveryState {
  /** A UUID derived from event and endpoint: a redelivered event finds its row. */
  _id: string;
  org_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: WebhookEvent;
  /** The exact text that is signed and sent. */
  body: string;
  status: DeliveryStatus;
  /** The last ones, oldest first. */
  attempts: Attempt[];
  attempt_count: number;
  /** When the next attempt is to be made; null when none is. While one is under way: when it counts as lost and the next is due. */
  due_at: Date | null;
  /** The attempt under way: only its own outcome is taken. */
  claim: string | null;
  created_at: string;
  delivered_at: string | null;
  /** When the row may go. */
  expire_at: Date;
}

export type ShownDelivery = Omit<DeliveryState, 'org_id' | 'body' | 'attempt_count' | 'expire_at'>;

/** The REST shape. While an attempt is under way its time is over already. */
export const toDelivery = (delivery: ShownDelivery): Delivery => ({
  id: delivery._id,
  webhook_id: delivery.endpoint_id,
  event_id: delivery.event_id,
  event: delivery.event_type,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: delivery.status === 'pending' && delivery.claim === null ? (delivery.due_at?.toISOString() ?? null) : null,
  created_at: delivery.created_at,
  delivered_at: delivery.delivered_at,
});

/** How many attempts a delivery shows. */
const attemptsKept = 20;

/** The attempts that are kept when one is added. */
export const withAttempt = (attempts: readonly Attempt[], attempt: Attempt): Attempt[] => [...attempts, attempt].slice(-attemptsKept);

/** The id of an event's delivery to an endpoint: a UUID of version 8 (RFC 9562), the same whenever and wherever it is made. */
export function deliveryId(eventId: string, endpointId: string): string {
  const hex = hash('sha256', `${eventId} ${endpointId}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
