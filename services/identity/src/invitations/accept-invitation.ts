import { AppError } from '@webkiln/contract';
import { handle, onBehalf } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { deleteInvitation, openInvitation } from '../invitations/invitation-store.ts';
import type { InvitationTokens } from '../invitations/invitation-token.ts';
import { insertMember } from '../members/member-store.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { placeOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { accountOf } from './signed-in.ts';

/** The invitation goes last, and the member has its id: a repeat after any line finds what there is. */
export const acceptInvitation = (tokens: InvitationTokens) =>
  handle('accounts.AcceptInvitation', async ({ token }, caller) => {
    const { org_id, invitation_id } = tokens.read(token);
    const acting = onBehalf('identity', caller, org_id);
    const { email_folded, role } = await openInvitation(acting, invitation_id);
    const [account, organization] = await Promise.all([accountById(accountOf(caller)), organizationById(org_id)]);
    if (organization === null) throw new AppError('invitation_not_found');
    if (account?.email_folded !== email_folded) throw new AppError('other_address');
    const member = await insertMember(acting, { _id: invitation_id, account_id: account._id, role, created_at: new Date() });
    const place = placeOf({ org_id, kind: 'member', id: member._id });
    await moveSession(caller, { _id: caller.principal.credential_id }, place);
    await deleteInvitation(acting, invitation_id);
    return { organization: toOwnOrganization(organization), role };
  });
