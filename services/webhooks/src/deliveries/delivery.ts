import { hash } from 'node:crypto';
import type { Delivery, WebhookEvent } from '@webkiln/contract';

export type DeliveryStatus = Delivery['status'];

/** One attempt to deliver; `reason` is null if it succeeded. */
export type AttemptRecord = Delivery['attempts'][number];

/**
 * The delivery of one event to one endpoint. Times that the API shows are ISO 8601 in UTC; internal times are dates.
 */
export interface DeliveryState extends Pick<Delivery, 'event_id' | 'status' | 'attempts' | 'created_at' | 'delivered_at'> {
  /** A UUID derived from event and endpoint, so that a redelivered event finds its delivery. */
  _id: string;
  org_id: string;
  endpoint_id: string;
  event_type: WebhookEvent;
  /** The exact text that is signed and sent; null if the event goes to several endpoints: see event-body-store.ts. */
  body: string | null;
  attempt_count: number;
  /**
   * When the next attempt is due; null if none is. While one is in flight, when it counts as lost and the next is due.
   */
  due_at: Date | null;
  /** Identifies the attempt in flight; outcomes of other attempts are ignored. */
  claim: string | null;
  /** When MongoDB deletes the document. */
  expire_at: Date;
}

type ShownDelivery = Omit<DeliveryState, 'org_id' | 'body' | 'attempt_count' | 'expire_at'>;

/** The REST shape. While an attempt is in flight there is no next attempt to show. */
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

/** How many attempts a delivery keeps. */
const maxAttempts = 20;

/** Appends an attempt and drops the oldest beyond the limit. */
export const withAttempt = (attempts: readonly AttemptRecord[], attempt: AttemptRecord): AttemptRecord[] =>
  [...attempts, attempt].slice(-maxAttempts);

/** The id of an event's delivery to an endpoint: a version 8 UUID (RFC 9562), derived from both ids alone. */
export function deliveryId(eventId: string, endpointId: string): string {
  const hex = hash('sha256', `${eventId} ${endpointId}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
