import type { RaisedEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, type GlobalStored, insertChange, isDuplicate, type Session, saveChange, unscoped, where } from '@webkiln/store';
import { audited } from '../audit/audited.ts';
import type { LogoContent, OrganizationChange, OrganizationState } from './organization.ts';

// Global: it is what tenancy goes by.
export const OrganizationModel = defineGlobalModel<OrganizationState & Partial<LogoContent>>(
  'organizations',
  {
    name: { type: String, required: true },
    slug: { type: String, required: true },
    currency: { type: String, required: true },
    rate_limit: { type: Number, default: null },
    logo_sha256: { type: String, default: null },
    logo_content: { type: Buffer, default: null, select: false },
    accent_color: { type: String, default: null },
    mail_sender_name: { type: String, default: null },
    owners_changed: { type: Number, default: 0 },
    created_at: { type: Date, required: true },
  },
  {
    indexes: [
      [{ slug: 1 }, { unique: true }],
      [{ created_at: -1, _id: 1 }],
      // Any that has it will do: the name of a logo is its content.
      [{ logo_sha256: 1 }, { partialFilterExpression: { logo_sha256: { $type: 'string' } } }],
    ],
  },
);

export type OrganizationRecord = GlobalStored<OrganizationState>;

/** Adds the organization; undefined when another has its slug. */
export async function insertOrganization(caller: Caller, state: OrganizationState): Promise<OrganizationState | undefined> {
  try {
    return await insertChange(OrganizationModel, caller, { state, events: [] });
  } catch (error) {
    if (isDuplicate(error, 'slug')) return undefined;
    throw error;
  }
}

export const organizationById = (_id: string): Promise<OrganizationRecord | null> => unscoped(OrganizationModel).findOne({ _id });

export const organizationBySlug = (slug: string): Promise<OrganizationState | null> => unscoped(OrganizationModel).findOne({ slug });

/** The logo of this name, whosever it is; undefined where nobody has it (any more). */
export async function logoBySha256(logo_sha256: string): Promise<Uint8Array | undefined> {
  const found = await unscoped(OrganizationModel).findOne({ logo_sha256 }, { fields: ['logo_content'] });
  const content = found?.logo_content;
  return content instanceof Uint8Array ? content : content?.buffer;
}

/** Newest first. */
export const allOrganizations = (): Promise<OrganizationState[]> =>
  unscoped(OrganizationModel).find({}, { sort: { created_at: -1, _id: 1 } });

/** The own quotas of those of the organizations that have one. */
export async function rateLimitsOf(ids: readonly string[]): Promise<Map<string, number | null>> {
  const found = await unscoped(OrganizationModel).find({ _id: where({ $in: [...new Set(ids)] }) }, { fields: ['rate_limit'] });
  return new Map(found.map(({ _id, rate_limit }) => [_id, rate_limit]));
}

/** Throws `edited_meanwhile` when the organization is not at that revision any more. */
export const saveOrganization = (caller: Caller, current: OrganizationRecord, state: OrganizationChange): Promise<OrganizationRecord> =>
  saveChange(OrganizationModel, caller, current, { state, events: [changed(caller, current, state)] });

const changed = (caller: Caller, { _id, name }: OrganizationRecord, { logo_content, logo_sha256, ...fields }: OrganizationChange) => {
  const names = [...Object.keys(fields), ...(logo_sha256 === undefined ? [] : ['logo'])];
  const event = audited(caller, 'organization.changed', { kind: 'organization', id: _id, name: `${name}: ${names.join(', ')}` });
  return { ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent;
};

/** Has whoever else changes at this moment who owns the organization wait, or start again. */
export async function holdOwners(_id: string, session: Session): Promise<void> {
  await unscoped(OrganizationModel, session).updateOne({ _id }, { $inc: { owners_changed: 1 } });
}

export async function organizationsById(ids: readonly string[]): Promise<Map<string, OrganizationRecord>> {
  const found = await unscoped(OrganizationModel).find({ _id: where({ $in: [...new Set(ids)] }) });
  return new Map(found.map((organization) => [organization._id, organization]));
}
