import { AppError, type Change, changedFields, type RaisedEvent, type Webhook, type WebhookEvent } from '@webkiln/contract';

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
  /** The request that made the secret: a repeat of it finds its work done. */
  rotation: string | null;
  /** Since when every attempt has failed; null after a success. */
  failing_since: Date | null;
  /** Why we switched it off. */
  disabled_reason: 'gone' | 'failing' | null;
  created_at: string;
}

export type EndpointDraft = Pick<EndpointState, '_id' | 'org_id' | 'url' | 'events' | 'place' | 'secret'>;
export type ShownEndpoint = Pick<EndpointState, '_id' | 'url' | 'events' | 'is_active' | 'created_at'>;

const changeable = ['url', 'events', 'is_active'] as const satisfies readonly (keyof EndpointState)[];
export type EndpointFields = Pick<EndpointState, (typeof changeable)[number]>;

const signsAlongMs = 24 * 3600_000;

/** The REST shape, without the secret. */
export const toWebhook = ({ _id, url, events, is_active, created_at }: ShownEndpoint): Webhook => ({
  id: _id,
  url,
  events,
  is_active,
  created_at,
});

const eachOnce = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** A new endpoint, active from the start. `now` is ISO 8601. */
export const openEndpoint = (draft: EndpointDraft, now: string): Change<EndpointState> => ({
  state: {
    ...draft,
    events: eachOnce(draft.events),
    is_active: true,
    previous_secret: null,
    previous_secret_until: null,
    rotation: null,
    failing_since: null,
    disabled_reason: null,
    created_at: now,
  },
  events: [],
});

/** The change to the wanted fields; null when nothing differs. Another address, or being switched on, starts with a clean record. */
export function changeEndpoint(current: EndpointState, wanted: Partial<EndpointFields>): Change<Partial<EndpointState>> | null {
  const { events } = wanted;
  const changed = changedFields(current, events === undefined ? wanted : { ...wanted, events: eachOnce(events) }, changeable);
  if (changed === null) return null;
  const isFresh = changed.url !== undefined || changed.is_active === true;
  const state = { ...changed, ...(isFresh && { failing_since: null }), ...(changed.is_active === true && { disabled_reason: null }) };
  return { state, events: changed.is_active === false ? [paused(current)] : [] };
}

/** The change to another secret, the present one signing along for a day; null when this request has made it already. */
export function rotateSecret(current: EndpointState, secret: string, rotation: string, now: Date): Change<Partial<EndpointState>> | null {
  if (current.rotation === rotation) return null;
  const previous_secret_until = new Date(now.getTime() + signsAlongMs);
  return { state: { secret, previous_secret: current.secret, previous_secret_until, rotation }, events: [] };
}

/** The change by which we switch an endpoint off. */
export const disableEndpoint = (
  { _id, url }: EndpointState,
  reason: NonNullable<EndpointState['disabled_reason']>,
): Change<Partial<EndpointState>> => ({
  state: { is_active: false, disabled_reason: reason },
  events: [{ type: 'internal.webhook.disabled', data: { webhook_id: _id, url, reason } }],
});

export const endpointDeleted = ({ _id }: Pick<EndpointState, '_id'>): RaisedEvent => ({
  type: 'internal.webhook.deleted',
  data: { webhook_id: _id },
});

const paused = ({ _id }: EndpointState): RaisedEvent => ({ type: 'internal.webhook.paused', data: { webhook_id: _id } });

/** For what somebody asks to be sent: an inactive endpoint gets nothing. */
export function assertActive({ is_active }: Pick<EndpointState, 'is_active'>): void {
  if (!is_active) throw new AppError('webhook_inactive');
}
