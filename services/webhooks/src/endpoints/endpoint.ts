import type { Webhook, WebhookEvent } from '@webkiln/contract';

/** A webhook endpoint as it is kept. `created_at` is ISO 8601 in UTC, as it is shown; other times are worked with and are dates. */
export interface EndpointState {
  _id: string;
  org_id: string;
  url: string;
  /** Each once. */
  events: WebhookEvent[];
  is_active: boolean;
  /** Its place among the organization's, from 0: no two have the same, so that a limit is taken, not counted. */
  place: number;
  /** Sealed for the organization. */
  secret: string;
  /** Sealed; signs along until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: Date | null;
  /** The rotation that made the secret: a repeat of that request finds its work done. */
  rotation: string | null;
  /** Since when every attempt has failed; null after a success. */
  failing_since: Date | null;
  /** Why we switched it off. */
  disabled_reason: 'gone' | 'failing' | null;
  created_at: string;
}

export type ShownEndpoint = Pick<EndpointState, '_id' | 'url' | 'events' | 'is_active' | 'created_at'>;

/** The REST shape, without the secret. */
export const toWebhook = ({ _id, url, events, is_active, created_at }: ShownEndpoint): Webhook => ({
  id: _id,
  url,
  events,
  is_active,
  created_at,
});
