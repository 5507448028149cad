import { AppError } from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { batched } from '@webkiln/runtime';
import {
  defineGlobalModel,
  definitionOf,
  type GlobalStored,
  insertChange,
  isDuplicate,
  recordsBy,
  type Session,
  saveChange,
  unscoped,
  where,
} from '@webkiln/store';
import mongoose from 'mongoose';
import { admissionOf, type OrganizationAdmission, type OrgPolicyChange, orgPolicyEvent } from './org-policy.ts';
import {
  agentFields,
  type LogoContent,
  type OrganizationChange,
  type OrganizationDraft,
  type OrganizationState,
  openOrganization,
  StoredOrganization,
  slugsOf,
} from './organization.ts';

// Global: the organization is the tenant itself.
export const OrganizationModel = defineGlobalModel<OrganizationState & Partial<LogoContent>>(
  'organizations',
  {
    ...definitionOf(StoredOrganization),
    client_reports: { type: Boolean, default: true },
    rate_limit: { type: Number, default: null },
    logo_sha256: { type: String, default: null },
    logo_content: { type: Buffer, default: null, select: false },
    suspended_at: { type: Date, default: null },
    limits: { type: mongoose.Schema.Types.Mixed, default: {} },
    agents_enabled: { type: Boolean, default: true },
    disabled_tools: { type: [String], default: [] },
    agents_can_build: { type: Boolean, default: false },
    agents_should_ask: { type: Boolean, default: true },
    ask_first_tools: { type: [String], default: [] },
    erase_at: { type: Date, default: null },
    erasure_round: { type: mongoose.Schema.Types.Mixed, default: null },
    erased_at: { type: Date, default: null },
    owners_changed: { type: Number, default: 0 },
    currency_revision: { type: Number, default: 0 },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ slug: 1 }, { unique: true }],
      [{ created_at: -1, _id: 1 }],
      [{ erase_at: 1 }, { name: 'erase_due' }],
      // Not unique: organizations with the same logo share its hash. MongoDB uses no index whose filter names a $type.
      [{ logo_sha256: 1 }, { name: 'logo_set', partialFilterExpression: { logo_sha256: { $gt: '' } } }],
    ],
  },
);

export type OrganizationRecord = GlobalStored<OrganizationState>;

/** Adds the organization; undefined if its slug is taken. */
async function insertOrganization(caller: Caller, state: OrganizationState): Promise<OrganizationState | undefined> {
  try {
    return await insertChange(OrganizationModel, caller, new Change(state, []));
  } catch (error) {
    if (isDuplicate(error, 'slug')) return undefined;
    throw error;
  }
}

export const organizationBySlug = (slug: string): Promise<OrganizationState | null> => unscoped(OrganizationModel).findOne({ slug });

/** A logo by its content's hash, in any organization; undefined if none has it. */
export async function logoBySha256(logo_sha256: string): Promise<Uint8Array | undefined> {
  const found = await unscoped(OrganizationModel).findOne({ logo_sha256 }, { fields: ['logo_content'] });
  const content = found?.logo_content;
  return content instanceof Uint8Array ? content : content?.buffer;
}

/** Newest first. */
export const allOrganizations = (): Promise<OrganizationState[]> =>
  unscoped(OrganizationModel).find({}, { sort: { created_at: -1, _id: 1 } });

const admissionFields = [
  ...(['rate_limit', 'suspended_at', 'limits', ...agentFields] as const),
  ...(['client_tools', 'require_second_factor'] as const),
] as const;

const admitted = recordsBy(OrganizationModel, '_id', admissionFields);

/** The fields that introspection reads of the organizations. */
export async function admissionsOf(ids: readonly string[]): Promise<Map<string, OrganizationAdmission>> {
  return new Map((await admitted(ids)).map((organization) => [organization._id, admissionOf(organization)]));
}

/** Throws `edited_meanwhile` if the organization has changed since it was read. */
export const saveOrganization = (
  caller: Caller,
  current: OrganizationRecord,
  state: OrganizationChange,
  events: readonly RaisedEvent[] = [],
): Promise<OrganizationRecord> =>
  saveChange(OrganizationModel, caller, current, new Change(state, [changed(caller, current, state), ...events]));

const changed = (caller: Caller, { _id, name }: OrganizationRecord, { logo_content, logo_sha256, ...fields }: OrganizationChange) => {
  const names = [...Object.keys(fields), ...(logo_sha256 === undefined ? [] : ['logo'])];
  const event = auditEvent(caller, 'organization.changed', { kind: 'organization', id: _id, name: `${name}: ${names.join(', ')}` });
  return { ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent;
};

/** Saves what an operator decided, and tells all services. Throws `edited_meanwhile`. */
export const saveOrgPolicy = (caller: Caller, current: OrganizationRecord, change: Change<OrgPolicyChange>): Promise<OrganizationRecord> =>
  saveChange(
    OrganizationModel,
    caller,
    current,
    change.withEvents([orgPolicyEvent({ ...current, ...change.state, revision: current.revision + 1 })]),
  );

/** `revision` is that of the settings that the currency is from; an earlier one changes nothing. */
export async function setCurrency(_id: string, currency: string, revision: number): Promise<void> {
  const older = { _id, currency_revision: where({ $not: { $gte: revision } }) };
  await unscoped(OrganizationModel).updateOne(older, { $set: { currency, currency_revision: revision } });
}

/** Locks the set of owners until the transaction ends: a concurrent change of owners waits or is retried. */
export async function lockOwners(_id: string, session: Session): Promise<void> {
  await unscoped(OrganizationModel, session).updateOne({ _id }, { $inc: { owners_changed: 1 } });
}

export async function organizationsById(ids: readonly string[]): Promise<Map<string, OrganizationRecord>> {
  const found = await unscoped(OrganizationModel).find({ _id: where({ $in: [...new Set(ids)] }) });
  return new Map(found.map((organization) => [organization._id, organization]));
}

/** Reads of one event-loop tick share a query. */
export const organizationById = batched<string, OrganizationRecord | null>(async (ids) => {
  const found = await organizationsById(ids);
  return ids.map((id) => found.get(id) ?? null);
});

/**
 * Adds an organization under the given slug, or under the first free one derived from its name. Throws `slug_taken`.
 */
export async function insertWithFreeSlug(
  caller: Caller,
  { slug: wanted, ...draft }: Omit<OrganizationDraft, 'slug'> & { slug?: string | undefined },
): Promise<OrganizationState> {
  for (const slug of wanted === undefined ? slugsOf(draft.name) : [wanted]) {
    const organization = await insertOrganization(caller, openOrganization({ ...draft, slug }, new Date()));
    if (organization !== undefined) return organization;
  }
  throw new AppError('slug_taken');
}
