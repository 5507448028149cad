import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { currentAccountId } from '../authorize.ts';
import { type OrganizationState, toOwnOrganization } from '../organizations/organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { activeMembershipOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { type InvitationState, type InvitationTokens, isBacked } from './invitation.ts';
import { deleteInvitation, openInvitation } from './invitation-store.ts';
import { insertMember, memberIn } from './member-store.ts';

export interface OpenedInvitation {
  /** Identity itself, in the organization that invites. */
  readonly identity: Caller;
  readonly invitation: InvitationState;
  readonly organization: OrganizationState;
}

/** The open invitation that a token names. Throws `invitation_not_found`. */
export async function openedBy(tokens: InvitationTokens, token: string, caller: Caller): Promise<OpenedInvitation> {
  const { org_id, invitation_id } = tokens.read(token);
  const identity = onBehalf('identity', caller, org_id);
  const [invitation, organization] = await Promise.all([openInvitation(identity, invitation_id), organizationById(org_id)]);
  if (organization === null) throw new AppError('invitation_not_found');
  return { identity, invitation, organization };
}

/** Throws `organization_suspended` or `inviter_not_allowed` for an invitation that nobody can accept now. */
export async function assertAcceptable({ invitation, organization }: OpenedInvitation): Promise<void> {
  if (organization.suspended_at) throw new AppError('organization_suspended');
  if (!isBacked(invitation, await memberIn(organization._id, invitation.invited_by))) throw new AppError('inviter_not_allowed');
}

/**
 * Makes the account a member, in the organization with its session. The member gets the invitation's id and the
 * invitation is deleted last, so a retry after a crash at any line continues.
 */
export async function join(
  { identity, invitation, organization }: OpenedInvitation,
  account: { readonly _id: string },
  sessionId: string,
): Promise<void> {
  const { _id, role } = invitation;
  const member = await insertMember(identity, { _id, account_id: account._id, role, created_at: new Date() });
  const membership = activeMembershipOf({ org_id: organization._id, kind: 'member', id: member._id });
  await moveSession(identity, { _id: sessionId }, membership);
  await deleteInvitation(identity, _id);
}

export const acceptInvitation = (tokens: InvitationTokens) =>
  handle('accounts.AcceptInvitation', async ({ token }, caller) => {
    const opened = await openedBy(tokens, token, caller);
    const account = await accountById(currentAccountId(caller));
    if (account?.email_folded !== opened.invitation.email_folded) throw new AppError('other_address');
    await assertAcceptable(opened);
    await join(opened, account, caller.principal.credential_id);
    return { organization: toOwnOrganization(opened.organization), role: opened.invitation.role };
  });
