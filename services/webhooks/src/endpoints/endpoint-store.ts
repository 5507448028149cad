import { AppError, Webhook, wholeListCap } from '@webkiln/contract';
import type { Change } from '@webkiln/messages';
import { type Quota, quotaExceeded } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  batchedById,
  coalescedPage,
  countPlaces,
  defineModel,
  definitionOf,
  fieldsOf,
  insertAtPlace,
  insertChange,
  isEditedMeanwhile,
  type PlaceIndex,
  placeIndex,
  type Scope,
  type Stored,
  saveChange,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';
import { disableEndpoint, type EndpointState } from './endpoint.ts';

export type EndpointRecord = Stored<EndpointState>;

export const EndpointModel = defineModel<EndpointState>(
  'endpoints',
  {
    ...definitionOf(Webhook),
    place: { type: Number, required: true },
    secret: { type: String, required: true },
    previous_secret: { type: String, default: null },
    previous_secret_until: { type: Date, default: null },
    older_secrets: { type: [{ _id: false, secret: String, until: Date }] },
    rotation: { type: String, default: null },
    shown_to: { type: String, default: null },
    failing_since: { type: Date, default: null },
    disabled_reason: { type: String, default: null },
  },
  { exportedAs: 'webhooks', raisesEvents: true, indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], placeIndex('place')] },
);

const shownFields = [...fieldsOf(Webhook), 'shown_to'] as const;

const shownById = batchedById(EndpointModel, shownFields);

/** An endpoint's public fields; throws `webhook_not_found` when the organization has none with this id. */
export async function shownEndpoint(scope: Scope, id: string) {
  const endpoint = await shownById(scope, id);
  if (endpoint === null) throw new AppError('webhook_not_found');
  return endpoint;
}

/** The whole endpoint; null when the organization has none with this id. */
export const endpointById = batchedById(EndpointModel);

/** The whole endpoint; throws `webhook_not_found`. */
export async function existingEndpoint(scope: Scope, id: string): Promise<EndpointRecord> {
  const endpoint = await endpointById(scope, id);
  if (endpoint === null) throw new AppError('webhook_not_found');
  return endpoint;
}

const page = coalescedPage(EndpointModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });

/** Newest first, with the total; without a limit everything up to the cap. */
export const endpointPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) =>
  page(scope, {}, { limit, offset, cursor });

const placesOf = (scope: Scope): PlaceIndex<EndpointState, 'organization'> => ({ model: EndpointModel, scope, within: {}, field: 'place' });

/** Adds an endpoint at a free place. Throws `quota_exceeded` if the organization has `limit`. */
export const addEndpoint = (scope: Scope, limit: number, openAt: (place: number) => Change<EndpointState>): Promise<EndpointRecord> =>
  insertAtPlace({ ...placesOf(scope), limit, full: (used) => quotaExceeded('webhooks', limit, used) }, (place) =>
    insertChange(EndpointModel, scope, openAt(place)),
  );

export const endpointQuota: Quota = { name: 'webhooks', used: (org_id) => countPlaces(placesOf({ org_id })) };

/** The ids of all endpoints of an organization. */
export async function endpointIds(scope: Scope): Promise<string[]> {
  return (await scoped(EndpointModel, scope).find({}, { fields: [] })).map(({ _id }) => _id);
}

export async function organizationsWithEndpoints(): Promise<string[]> {
  const owners = await acrossOrganizations(EndpointModel).owners('org_id', 'place', { place: where({ $gte: 0 }) });
  return owners.map(({ org_id }) => org_id);
}

/** Records since when attempts fail, unless that is recorded already. */
export async function recordFailing(scope: Scope, _id: string, since: Date): Promise<void> {
  await scoped(EndpointModel, scope).updateOne({ _id, failing_since: null }, { $set: { failing_since: since } });
}

/** Records that an attempt succeeded. */
export async function recordWorking(scope: Scope, _id: string): Promise<void> {
  await scoped(EndpointModel, scope).updateOne(
    { _id, failing_since: where<Date | null>({ $ne: null }) },
    { $set: { failing_since: null } },
  );
}

/**
 * Disables an endpoint if `condition` holds for its current state. After a concurrent change the next failure decides
 * again.
 */
export async function disable(
  scope: Scope,
  _id: string,
  reason: NonNullable<EndpointState['disabled_reason']>,
  condition: (endpoint: EndpointState) => boolean,
): Promise<void> {
  const endpoint = await endpointById(scope, _id);
  if (endpoint === null || !endpoint.is_active || !condition(endpoint)) return;
  try {
    await saveChange(EndpointModel, scope, endpoint, disableEndpoint(endpoint, reason));
  } catch (error) {
    if (!isEditedMeanwhile(error)) throw error;
  }
}
