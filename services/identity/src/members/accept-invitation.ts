import { AppError } from '@webkiln/contract';
import { onBehalf } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { currentAccountId } from '../authorize.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { activeMembershipOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { type InvitationTokens, isBacked } from './invitation.ts';
import { deleteInvitation, openInvitation } from './invitation-store.ts';
import { insertMember, memberIn } from './member-store.ts';

/**
 * The member gets the invitation's id and the invitation is deleted last, so a retry after a crash at any line
 * continues.
 */
export const acceptInvitation = (tokens: InvitationTokens) =>
  handle('accounts.AcceptInvitation', async ({ token }, caller) => {
    const { org_id, invitation_id } = tokens.read(token);
    const identity = onBehalf('identity', caller, org_id);
    const invitation = await openInvitation(identity, invitation_id);
    const { email_folded, role, invited_by } = invitation;
    const [account, organization] = await Promise.all([accountById(currentAccountId(caller)), organizationById(org_id)]);
    if (organization === null) throw new AppError('invitation_not_found');
    if (account?.email_folded !== email_folded) throw new AppError('other_address');
    if (organization.suspended_at) throw new AppError('organization_suspended');
    if (!isBacked(invitation, await memberIn(org_id, invited_by))) throw new AppError('inviter_not_allowed');
    const member = await insertMember(identity, { _id: invitation_id, account_id: account._id, role, created_at: new Date() });
    const membership = activeMembershipOf({ org_id, kind: 'member', id: member._id });
    await moveSession(caller, { _id: caller.principal.credential_id }, membership);
    await deleteInvitation(identity, invitation_id);
    return { organization: toOwnOrganization(organization), role };
  });
