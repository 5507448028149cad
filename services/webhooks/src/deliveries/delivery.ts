import type { WebhookEvent } from '@webkiln/contract';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'skipped';

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
  /** When the next attempt is to be made; null when none is. */
  due_at: Date | null;
  /** Until then another process is at it. */
  claimed_until: Date | null;
  created_at: string;
  delivered_at: string | null;
  /** When the row may go. */
  expire_at: Date;
}
