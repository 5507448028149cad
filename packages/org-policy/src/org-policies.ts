import { AppError } from '@webkiln/contract';
import { consume, consumerOf, listen } from '@webkiln/events';
import {
  bytesText,
  type Events,
  isInBytes,
  joinedShareOf,
  platformLimits,
  type QuotaName,
  type QuotaSettings,
  quotas,
  settingOf,
} from '@webkiln/messages';
import { growingTo, logger } from '@webkiln/runtime';
import { countPlaces, insertAtPlace, type PlaceIndex } from '@webkiln/store';
import { LRUCache } from 'lru-cache';
import { type OrgPolicy, storedOrgPolicy, storeOrgPolicy } from './org-policy-store.ts';

/** How long a read copy is used. Changes are pushed; this heals a push that was missed. */
const maxAgeMs = 5_000;
/** An organization about which no operator has decided anything. */
const ordinary: OrgPolicy = { version: 0, suspended_at: null, limits: {} };

/** The services that keep a copy. */
type Service = 'identity' | 'clients-plans' | 'projects-templates' | 'webhooks' | 'sites' | 'embed';

interface Known {
  readonly policy: OrgPolicy;
  readonly readAt: number;
}

const recent = new LRUCache<string, Known>(growingTo(50_000));
let settings: QuotaSettings = platformLimits;

/**
 * Keeps a copy of what operators decide about organizations in the service's own database, and pushes each change to
 * every replica. `limits` are the service's settings of the quotas that it keeps. `onResumed` runs once the copy says
 * that an organization is not suspended, perhaps repeatedly.
 */
export function watchOrgPolicies(service: Service, limits: Partial<QuotaSettings> = {}, onResumed?: () => Promise<void>): void {
  hearOrgPolicies();
  copyOrgPolicies(service, limits, onResumed);
}

/** The part of `watchOrgPolicies` that needs the database: stores each change, and reads what is not remembered. */
export function copyOrgPolicies(service: Service, limits: Partial<QuotaSettings>, onResumed?: () => Promise<void>): void {
  settings = { ...platformLimits, ...limits };
  consume({
    ...consumerOf(`${service}-standings`),
    atLeastOnceHandler: async ({ data }) => {
      await storeOrgPolicy({ org_id: data.organization_id }, orgPolicyIn(data));
      if (data.suspended_at === null) await onResumed?.();
    },
  });
}

/** The part of `watchOrgPolicies` that needs no database: remembers each change from now on. */
export const hearOrgPolicies = (): void =>
  listen('internal.organization.changed', ({ data }) => void remember(data.organization_id, orgPolicyIn(data)));

const orgPolicyIn = ({ revision, suspended_at, limits }: Events['internal.organization.changed']): OrgPolicy => ({
  version: revision,
  suspended_at: suspended_at === null ? null : new Date(suspended_at),
  limits,
});

/** Keeps the newer version: a database read can return older data than a push that arrived meanwhile. */
function remember(org_id: string, policy: OrgPolicy): OrgPolicy {
  const known = recent.get(org_id)?.policy ?? ordinary;
  const latest = policy.version < known.version ? known : policy;
  recent.set(org_id, { policy: latest, readAt: performance.now() });
  return latest;
}

/** The organization's policy, at most 1 s behind the operator; a known one serves while the database is away. */
async function orgPolicyOf(org_id: string): Promise<OrgPolicy> {
  const known = recent.get(org_id);
  if (known !== undefined && performance.now() - known.readAt < maxAgeMs) return known.policy;
  try {
    return remember(org_id, (await storedOrgPolicy(org_id)) ?? ordinary);
  } catch (error) {
    if (known === undefined) throw error;
    logger.warn({ err: error, org_id }, 'reading the policy of an organization failed; using the last known one');
    return known.policy;
  }
}

/** The suspension of an organization. Of two answers the one with the later version counts. */
export interface Suspension {
  /** The revision of the organization's record at identity; 0 if no operator has decided anything. */
  readonly version: number;
  readonly suspended: boolean;
}

const suspensionIn = ({ version, suspended_at }: OrgPolicy): Suspension => ({ version, suspended: suspended_at !== null });

/** The organization's suspension, as far as this service knows. */
export const suspensionOf = async (org_id: string): Promise<Suspension> => suspensionIn(await orgPolicyOf(org_id));

/** True if this service's copy, and not only its memory of it, says that the organization is suspended. */
export const isSuspendedInStore = async (org_id: string): Promise<boolean> =>
  ((await storedOrgPolicy(org_id)) ?? ordinary).suspended_at !== null;

/** True if the organization is suspended, by the later of what another service told and what this process heard. */
export function isSuspended(org_id: string, told: Suspension): boolean {
  const heard = recent.get(org_id)?.policy;
  return heard === undefined || heard.version < told.version ? told.suspended : heard.suspended_at !== null;
}

/** The organization's limit: its own if an operator has set one, else the platform's. */
export const limitOf = async (org_id: string, name: QuotaName): Promise<number> =>
  (await orgPolicyOf(org_id)).limits[name] ?? settingOf(settings, name);

/** The organization's limit of public events a minute, for `startRelay`. */
export const eventsPerMinute = (org_id: string): Promise<number> => limitOf(org_id, 'events');

const number = new Intl.NumberFormat('en');

/** The error `quota_exceeded`, which names the limit and what is used; `hint` is a clause about what is used. */
export function quotaExceeded(name: QuotaName, limit: number, used: number, hint = ''): AppError {
  const limitText = isInBytes(name) ? bytesText(limit) : `${number.format(limit)} ${quotas[name].unit}`;
  const usedText = isInBytes(name) ? bytesText(used) : number.format(used);
  const message = `your organization may have ${limitText} and has ${usedText}${hint}; use less, or ask the operator of this platform for more`;
  return new AppError('quota_exceeded', [{ path: name, message }]);
}

/** The error `quota_exceeded` for clients who joined by a link, once they have used up their share of the quota. */
export function joinedShareExceeded(name: QuotaName, limit: number): AppError {
  const limitText = isInBytes(name) ? bytesText(limit) : `${number.format(limit)} ${quotas[name].unit}`;
  const message = `clients who joined by a link may have ${limitText} together and have them already; ask the agency`;
  return new AppError('quota_exceeded', [{ path: name, message }]);
}

/** A quota that the service keeps. */
export interface Quota {
  readonly name: QuotaName;
  /** How much the organization uses. It reads no more than an index, or a figure that is kept. */
  readonly used: (org_id: string) => Promise<number>;
}

interface PlacedQuota extends Quota {
  /** Inserts a record that uses one of the quota, at a free place: see `insertAtPlace`. Throws `quota_exceeded`. */
  readonly insert: <R>(org_id: string, insert: (place: number) => Promise<R>) => Promise<R>;
}

/** A quota whose uses are records at numbered places. `placesOf` names the records of one organization. */
export const placedQuota = <Doc, T extends 'organization' | 'global'>(
  name: QuotaName,
  placesOf: (org_id: string) => PlaceIndex<Doc, T>,
): PlacedQuota => ({
  name,
  used: (org_id) => countPlaces(placesOf(org_id)),
  async insert(org_id, insert) {
    const limit = await limitOf(org_id, name);
    return insertAtPlace({ ...placesOf(org_id), limit, full: (used) => quotaExceeded(name, limit, used) }, insert);
  },
});

/** The share of a quota that clients who joined by a link have together. Its places are others than the quota's. */
export const placedShare = <Doc, T extends 'organization' | 'global'>(
  name: QuotaName,
  placesOf: (org_id: string) => PlaceIndex<Doc, T>,
): Pick<PlacedQuota, 'insert'> => ({
  async insert(org_id, insert) {
    const limit = joinedShareOf(await limitOf(org_id, name));
    return insertAtPlace({ ...placesOf(org_id), limit, full: () => joinedShareExceeded(name, limit) }, insert);
  },
});
