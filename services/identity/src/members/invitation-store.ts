import { AppError } from '@webkiln/contract';
import type { Caller, Change } from '@webkiln/messages';
import {
  acrossOrganizations,
  defineModel,
  definitionOf,
  insertChange,
  type Scope,
  type Stored,
  saveChange,
  scoped,
  where,
} from '@webkiln/store';
import { type InvitationState, StoredInvitation } from './invitation.ts';

const InvitationModel = defineModel<InvitationState>(
  'invitations',
  {
    ...definitionOf(StoredInvitation),
    email_folded: { type: String, required: true },
    invited_by: { type: String, required: true },
  },
  {
    exportedAs: 'invitations',
    raisesEvents: true,
    indexes: [[{ org_id: 1, created_at: -1, _id: 1 }]],
    // The second finds the invitations to an address whose account is deleted.
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }], [{ email_folded: 1, org_id: 1 }]],
  },
);

export const insertInvitation = (scope: Scope, change: Change<InvitationState>): Promise<InvitationState> =>
  insertChange(InvitationModel, scope, change);

/** Null if the organization has none with this id. */
export const invitationById = (scope: Scope, _id: string): Promise<InvitationState | null> =>
  scoped(InvitationModel, scope).findOne({ _id });

const open = () => ({ expires_at: where({ $gt: new Date() }) });

/** Newest first. */
export const openInvitations = (scope: Scope): Promise<InvitationState[]> =>
  scoped(InvitationModel, scope).find(open(), { sort: { created_at: -1, _id: 1 } });

/** Throws `edited_meanwhile` if the invitation has changed since it was read. */
export const saveInvitation = (
  caller: Caller,
  invitation: Stored<InvitationState>,
  change: Change<Partial<InvitationState>>,
): Promise<InvitationState> => saveChange(InvitationModel, caller, invitation, change);

/** Throws `invitation_not_found` unless the invitation is open. */
export async function openInvitation(scope: Scope, _id: string): Promise<Stored<InvitationState>> {
  const invitation = await scoped(InvitationModel, scope).findOne({ _id, ...open() });
  if (invitation === null) throw new AppError('invitation_not_found');
  return invitation;
}

/** Returns false if there was none. */
export async function deleteInvitation(scope: Scope, _id: string): Promise<boolean> {
  return (await scoped(InvitationModel, scope).deleteOne({ _id })).deletedCount === 1;
}

/** Ends all invitations to an address; the records go when their events are published. */
export async function endInvitationsTo(email_folded: string): Promise<void> {
  for (const { key: org_id } of await acrossOrganizations(InvitationModel).owners('org_id', 'created_at', { email_folded })) {
    const ended = { email: 'deleted', email_folded: 'deleted', expires_at: new Date() };
    await scoped(InvitationModel, { org_id }).updateMany({ email_folded }, { $set: ended });
  }
}
