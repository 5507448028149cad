import {
  AppError,
  type AuditAction,
  changedFields,
  createProjection,
  inputFields,
  type StateOf,
  updateWebhook,
  Webhook,
  WebhookSecret,
} from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';

/** A stored webhook endpoint; `events` has no duplicates. Public times are ISO 8601 in UTC, internal ones dates. */
export interface EndpointState extends StateOf<typeof Webhook> {
  org_id: string;
  /**
   * Its place among the organization's endpoints, from 0 and unique: the limit is enforced by an index, not by
   * counting.
   */
  place: number;
  /** Sealed under the organization's key. */
  secret: string;
  /** Sealed. Also signs until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: Date | null;
  /** The secrets before it, the newest first, which also sign. Records of earlier releases have none. */
  older_secrets?: readonly OlderSecret[];
  /** The id of the request that made the secret, so that its retry changes nothing. */
  rotation: string | null;
  /** The member who was shown the secret; null if that was an operator, or was not recorded. */
  shown_to: string | null;
  /** Since when all attempts fail; null after a success. */
  failing_since: Date | null;
  /** Why the platform disabled it. */
  disabled_reason: 'gone' | 'failing' | null;
}

export interface OlderSecret {
  /** Sealed. */
  readonly secret: string;
  readonly until: Date;
}

type EndpointDraft = Pick<EndpointState, '_id' | 'org_id' | 'url' | 'events' | 'place' | 'secret' | 'shown_to'>;

const changeable = inputFields(updateWebhook);
export type EndpointFields = Pick<EndpointState, (typeof changeable)[number]>;

const previousSecretMs = 24 * 3600_000;
/** Each secret is a signature in every delivery: after more rotations in a day, the oldest ones end early. */
const maxOlderSecrets = 18;

/** The REST shape, without the secret. */
export const toWebhook = createProjection(Webhook);

export const toWebhookSecret = createProjection(WebhookSecret);

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** A new endpoint, active from the start. `now` is ISO 8601. */
export const openEndpoint = (draft: EndpointDraft, now: string): Change<EndpointState> =>
  new Change(
    {
      ...draft,
      events: unique(draft.events),
      is_active: true,
      previous_secret: null,
      previous_secret_until: null,
      rotation: null,
      failing_since: null,
      disabled_reason: null,
      created_at: now,
    },
    [],
  );

/**
 * The change to the requested fields; null if nothing differs. A new address or activation resets the failure record.
 */
export function changeEndpoint(current: EndpointState, wanted: Partial<EndpointFields>): Change<Partial<EndpointState>> | null {
  const { events } = wanted;
  const changed = changedFields(current, events === undefined ? wanted : { ...wanted, events: unique(events) }, changeable);
  if (changed === null) return null;
  const isFresh = changed.url !== undefined || changed.is_active === true;
  const state = { ...changed, ...(isFresh && { failing_since: null }), ...(changed.is_active === true && { disabled_reason: null }) };
  return new Change(state, changed.is_active === false ? [paused(current)] : []);
}

/**
 * The change to a new secret; the current one keeps signing for a day, and so do those before it for the rest of
 * theirs. Null if this request made the change already.
 */
export function rotateSecret(
  current: EndpointState,
  made: Pick<EndpointState, 'secret' | 'rotation' | 'shown_to'>,
  now: Date,
): Change<Partial<EndpointState>> | null {
  if (current.rotation === made.rotation) return null;
  const previous_secret_until = new Date(now.getTime() + previousSecretMs);
  const older_secrets = replacedSecrets(current, now).slice(0, maxOlderSecrets);
  return new Change({ ...made, previous_secret: current.secret, previous_secret_until, older_secrets }, []);
}

/** The replaced secrets that still sign at this time, the newest first. */
export function replacedSecrets(
  {
    previous_secret,
    previous_secret_until,
    older_secrets = [],
  }: Pick<EndpointState, 'previous_secret' | 'previous_secret_until' | 'older_secrets'>,
  now: Date,
): OlderSecret[] {
  const previous =
    previous_secret === null || previous_secret_until === null ? [] : [{ secret: previous_secret, until: previous_secret_until }];
  return [...previous, ...older_secrets].filter(({ until }) => until > now);
}

/** The change by which the platform disables an endpoint. */
export const disableEndpoint = (
  { _id, url }: EndpointState,
  reason: NonNullable<EndpointState['disabled_reason']>,
): Change<Partial<EndpointState>> =>
  new Change({ is_active: false, disabled_reason: reason }, [
    { type: 'internal.webhook.disabled', data: { webhook_id: _id, url, reason } },
  ]);

export const endpointDeleted = ({ _id }: Pick<EndpointState, '_id'>): RaisedEvent => ({
  type: 'internal.webhook.deleted',
  data: { webhook_id: _id },
});

/** The audit event of an act on an endpoint; its address is what owners know it by. */
export const webhookAudited = (caller: Pick<Caller, 'principal'>, action: AuditAction, { _id, url }: Pick<EndpointState, '_id' | 'url'>) =>
  auditEvent(caller, action, { kind: 'webhook', id: _id, name: url });

const paused = ({ _id }: EndpointState): RaisedEvent => ({ type: 'internal.webhook.paused', data: { webhook_id: _id } });

/** Throws `webhook_inactive`: an inactive endpoint receives nothing on request. */
export function assertActive({ is_active }: Pick<EndpointState, 'is_active'>): void {
  if (!is_active) throw new AppError('webhook_inactive');
}
