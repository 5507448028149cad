import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import * as z from 'zod';
import { isVerified } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { claimAccount } from '../accounts/claim-account.ts';
import { assertNotLocked } from '../sign-in/account-checks.ts';
import { currentRequest, recordRefusal } from '../sign-in/current-request.ts';
import { assertAcceptable, join, openedBy } from './accept-invitation.ts';
import type { InvitationTokens } from './invitation.ts';

/**
 * What is behind the link of a member's invitation, for people who are not signed in. The link came by mail, so whoever
 * has it has proved to own the address.
 */
export const invitationPlugin = (tokens: InvitationTokens) => ({
  id: 'member-invitation',
  endpoints: {
    /** Who invites whom, and whether that address has an account. */
    showInvitation: createAuthEndpoint('/invitation', { method: 'POST', body: z.object({ token: z.string() }) }, async (context) => {
      const { invitation, organization } = await refusing(openedBy(tokens, context.body.token, serviceCaller('identity')));
      const account = await accountByEmail(invitation.email);
      const has_account = account !== null && account.password_hash !== null && isVerified(account);
      return context.json({ email: invitation.email, organization: organization.name, has_account });
    }),
    /**
     * Creates the account, or takes the password of the one that is there, makes it a member and signs in. Answers
     * without a `user` and changes nothing where a second factor is needed: that is for the sign-in page.
     */
    joinByInvitation: createAuthEndpoint(
      '/join',
      { method: 'POST', body: z.object({ token: z.string(), password: z.string(), name: z.string().optional() }) },
      async (context) => {
        const { token, password, name = null } = context.body;
        const opened = await refusing(
          openedBy(tokens, token, { ...serviceCaller('identity'), network: currentRequest.getStore()?.network }),
        );
        await refusing(assertAcceptable(opened));
        const account = await refusing(claimAccount(opened.identity, { email: opened.invitation.email, name, password }));
        await assertNotLocked(account._id);
        if (account.two_factor === true) return context.json({ status: true });
        const user = await context.context.internalAdapter.findUserById(account._id);
        const session = user && (await context.context.internalAdapter.createSession(account._id));
        if (!user || !session) throw new Error('the account of an invitation was removed meanwhile');
        await join(opened, account, session.id);
        await setSessionCookie(context, { session, user });
        return context.json({ status: true, user });
      },
    ),
  },
});

/** Answers what a caller did wrong. The library logs errors that are not its own as defects. */
async function refusing<T>(act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    recordRefusal(error);
    throw new APIError('BAD_REQUEST');
  }
}
