import { serviceCaller } from '@webkiln/messages';
import type { SecretList } from '@webkiln/runtime';
import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { verifyJWT } from 'better-auth/crypto';
import * as z from 'zod';
import { foldEmail, isVerified } from '../accounts/account.ts';
import { type Account, accountById, saveAccount } from '../accounts/account-store.ts';
import { createSignupOrganization } from '../organizations/create-organization.ts';
import { assertNotLocked } from './account-checks.ts';

/** What the library signs into the token of a sign-up's link; `updateTo` is only in those of a change of address. */
const LinkPayload = z.object({ email: z.string(), userId: z.string(), updateTo: z.undefined().optional() });

/** True if the token of a mailed link is one of a change of address. The library has just made the token. */
export const isAddressChange = (token: string): boolean =>
  'updateTo' in JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/**
 * Confirms the address of a new account and signs in the browser that asks. The library's own route is a GET, which
 * scanners of mails send, too. Only the request that confirms gets a session, so of all links of an account one does.
 */
export const confirmEmailPlugin = (secrets: SecretList) => ({
  id: 'confirm-email',
  endpoints: {
    confirmEmail: createAuthEndpoint('/confirm-email', { method: 'POST', body: z.object({ token: z.string() }) }, async (context) => {
      const confirmed = await confirm(await payloadOf(context.body.token, secrets));
      // A mailbox alone does not replace a second factor.
      if (confirmed === null || confirmed.two_factor === true) return context.json({ status: true });
      const user = await context.context.internalAdapter.findUserById(confirmed._id);
      if (user === null) throw invalid();
      const session = await context.context.internalAdapter.createSession(confirmed._id);
      await setSessionCookie(context, { session, user });
      return context.json({ status: true, user });
    }),
  },
});

/** Marks the address as verified and creates the wanted organization; null if the address was verified before. */
async function confirm({ userId, email }: z.infer<typeof LinkPayload>): Promise<Account | null> {
  const caller = serviceCaller('identity');
  await assertNotLocked(userId);
  const confirmed = await saveWithRetry(caller, async () => {
    const account = await accountById(userId);
    if (account === null || account.email_folded !== foldEmail(email)) throw invalid();
    return isVerified(account) ? null : saveAccount(caller, account, { email_verified: true });
  });
  if (confirmed !== null) await createSignupOrganization(confirmed);
  return confirmed;
}

async function payloadOf(token: string, secrets: SecretList): Promise<z.infer<typeof LinkPayload>> {
  for (const secret of secrets) {
    const { success, data } = LinkPayload.safeParse(await verifyJWT(token, secret));
    if (success) return data;
  }
  throw invalid();
}

const invalid = () => new APIError('UNAUTHORIZED', { code: 'INVALID_TOKEN', message: 'This link is invalid or has run out' });
