import { AppError, Webhook, wholeListCap } from '@webkiln/contract';
import type { Change } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import { type Quota, quotaExceeded } from '@webkiln/standing';
import {
  acrossOrganizations,
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  fieldsOf,
  insertChange,
  isDuplicate,
  type Scope,
  type Stored,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';
import type { EndpointState } from './endpoint.ts';

export type EndpointRecord = Stored<EndpointState>;

/**
 * The first index serves the list in its order; the unique one gives each place to one endpoint, which enforces the
 * limit.
 */
export const EndpointModel = defineModel<EndpointState>(
  'endpoints',
  {
    ...definitionOf(Webhook),
    place: { type: Number, required: true },
    secret: { type: String, required: true },
    previous_secret: { type: String, default: null },
    previous_secret_until: { type: Date, default: null },
    rotation: { type: String, default: null },
    failing_since: { type: Date, default: null },
    disabled_reason: { type: String, default: null },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      // Tombstones have no place.
      [
        { org_id: 1, place: 1 },
        { unique: true, partialFilterExpression: { place: { $exists: true } } },
      ],
    ],
  },
);

const shownFields = fieldsOf(Webhook);

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

/**
 * Adds an endpoint at a free place. Throws `quota_exceeded` if the organization has `max`. A call that loses its
 * place to a concurrent one tries again. This ends, because each lost place is one more endpoint.
 */
export function addEndpoint(scope: Scope, max: number, openAt: (place: number) => Change<EndpointState>): Promise<EndpointRecord> {
  const attempt = async () => {
    const endpoints = await scoped(EndpointModel, scope).find({}, { fields: ['place'] });
    if (endpoints.length >= max) throw quotaExceeded('webhooks', max, endpoints.length);
    const taken = new Set(endpoints.map(({ place }) => place));
    const free = Array.from({ length: max }, (_, place) => place).filter((place) => !taken.has(place));
    const place = free[Math.floor(Math.random() * free.length)] ?? 0;
    return insertChange(EndpointModel, scope, openAt(place));
  };
  return retry(attempt, { isRetryable: (error) => isDuplicate(error, 'place') });
}

export const endpointQuota: Quota = { name: 'webhooks', used: (org_id) => scoped(EndpointModel, { org_id }).count({}) };

/** The ids of all endpoints of an organization. */
export async function endpointIds(scope: Scope): Promise<string[]> {
  return (await scoped(EndpointModel, scope).find({}, { fields: [] })).map(({ _id }) => _id);
}

export async function organizationsWithEndpoints(): Promise<string[]> {
  const owners = await acrossOrganizations(EndpointModel).owners('org_id', 'place', { place: where({ $gte: 0 }) });
  return owners.map(({ org_id }) => org_id);
}
