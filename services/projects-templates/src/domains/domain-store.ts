import { AppError } from '@webkiln/contract';
import { placedQuota, placedShare } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  defineModel,
  isDuplicate,
  type Owner,
  type PlaceIndex,
  placeIndex,
  type Session,
  scoped,
  type Tenant,
  where,
} from '@webkiln/store';
import mongoose from 'mongoose';
import type { DomainState } from './domain.ts';

/** Claims of names: several projects may claim one, and the one that proves it has it, in its own record. */
const DomainModel = defineModel<DomainState>(
  'domains',
  {
    project_id: { type: String, required: true },
    name: { type: String, required: true },
    status: { type: String, required: true },
    dns_records: { type: [mongoose.Schema.Types.Mixed], required: true },
    error: { type: String, default: null },
    last_checked_at: { type: String, default: null },
    created_at: { type: String, required: true },
    checks: { type: Number, required: true },
    next_check_at: { type: Date, default: null },
    unproven_since: { type: String, default: null },
    sought_since: { type: String, default: null },
    place: { type: Number, default: null },
    joined_place: { type: Number, default: null },
  },
  {
    ofProject: 'project_id',
    exportedAs: 'domains',
    indexes: [[{ org_id: 1, project_id: 1, name: 1 }, { unique: true }], placeIndex('place'), placeIndex('joined_place')],
    indexesAcross: [[{ next_check_at: 1 }]],
  },
);

const inOrganization = (org_id: string): PlaceIndex<DomainState, 'organization'> => ({
  model: DomainModel,
  scope: { org_id },
  within: {},
  field: 'place',
});

export const domainQuota = placedQuota('domains', inOrganization);
const ofJoinedClients = placedShare('domains', (org_id) => ({ ...inOrganization(org_id), field: 'joined_place' }));

/** The domains of a project, oldest first. The quota bounds them. */
export const domainsOf = ({ org_id }: Tenant, project_id: string): Promise<DomainState[]> =>
  scoped(DomainModel, { org_id }).find({ project_id }, { sort: { created_at: 1, _id: 1 } });

/** The projects of an organization with domains, once for each of them. The quota bounds them. */
export async function projectsWithDomains({ org_id }: Tenant): Promise<string[]> {
  const domains = await scoped(DomainModel, { org_id }).find({}, { fields: ['project_id'] });
  return domains.map(({ project_id }) => project_id);
}

/** The claim of a project for a name. Null if there is none. */
export const claimOf = ({ org_id }: Tenant, project_id: string, name: string): Promise<DomainState | null> =>
  scoped(DomainModel, { org_id }).findOne({ project_id, name });

/** The claims of an organization's projects for a name. */
export const claimsFor = ({ org_id }: Tenant, name: string): Promise<DomainState[]> => scoped(DomainModel, { org_id }).find({ name });

/** Throws `domain_not_found`. */
export async function existingDomain({ org_id }: Tenant, project_id: string, _id: string): Promise<DomainState> {
  const domain = await scoped(DomainModel, { org_id }).findOne({ _id, project_id });
  if (domain === null) throw new AppError('domain_not_found');
  return domain;
}

/**
 * Inserts a claim, which counts on the share of clients who joined by a link if its project does. A project that claims
 * the name already keeps its claim, which is returned. Throws `quota_exceeded`.
 */
export async function insertDomain(
  { org_id }: Tenant,
  domain: Omit<DomainState, 'org_id' | 'place' | 'joined_place'>,
  isJoined: boolean,
): Promise<DomainState> {
  const domains = scoped(DomainModel, { org_id });
  const { project_id, name } = domain;
  const claimed = () => domains.findOne({ project_id, name });
  const known = await claimed();
  if (known !== null) return known;
  try {
    return await domainQuota.insert(org_id, (place) => {
      const insertAt = async (joined_place: number | null) => {
        await domains.insert({ ...domain, place, joined_place });
        return { ...domain, org_id, place, joined_place };
      };
      return isJoined ? ofJoinedClients.insert(org_id, insertAt) : insertAt(null);
    });
  } catch (error) {
    const other = isDuplicate(error) ? await claimed() : null;
    if (other === null) throw error;
    return other;
  }
}

/** Saves the outcome of a check. False if the claim was checked or deleted meanwhile. */
export async function saveCheck({ _id, org_id, checks }: DomainState, outcome: Partial<DomainState>, session?: Session): Promise<boolean> {
  const { matchedCount } = await scoped(DomainModel, { org_id, session }).updateOne({ _id, checks }, { $set: outcome });
  return matchedCount === 1;
}

export async function removeDomain({ org_id }: Tenant, _id: string, session?: Session): Promise<void> {
  await scoped(DomainModel, { org_id, session }).deleteOne({ _id });
}

/** The claims whose check is due, in any organization. */
export const dueDomains = (now: Date): Promise<Owner[]> =>
  acrossOrganizations(DomainModel).owners('_id', 'created_at', { next_check_at: where<Date | null>({ $lte: now }) });

/** Takes a due claim for a while; null if another process has it or it is gone. */
export async function leaseDomain({ key: _id, org_id }: Owner, now: Date, until: Date): Promise<DomainState | null> {
  const domains = scoped(DomainModel, { org_id });
  const due = { _id, next_check_at: where<Date | null>({ $lte: now }) };
  const { matchedCount } = await domains.updateOne(due, { $set: { next_check_at: until } });
  return matchedCount === 0 ? null : domains.findOne({ _id });
}
