import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertOperator } from '../authorize.ts';
import { organizationsById } from '../organizations/organization-store.ts';
import { passkeysOf } from '../passkeys/passkey-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { sessionsOf } from '../sessions/session-store.ts';
import { isVerified } from './account.ts';
import { accountByEmail } from './account-store.ts';

/** For operators: why somebody cannot sign in, or does not see what it expects. Throws `validation_failed`. */
export const getAccountStanding = handle('identity.GetAccountStanding', async ({ email }, caller) => {
  assertOperator(caller);
  const account = await accountByEmail(email);
  if (account === null) throw new AppError('validation_failed', [{ path: 'email', message: 'belongs to no account' }]);
  const [memberships, passkeys, sessions] = await Promise.all([
    membershipsOf(account._id),
    passkeysOf(account._id),
    sessionsOf(account._id),
  ]);
  const organizations = await organizationsById(memberships.map(({ org_id }) => org_id));
  return {
    ...{ id: account._id, email: account.email, name: account.name ?? undefined, created_at: account.created_at.toISOString() },
    ...{ email_verified: isVerified(account), passkeys: passkeys.length },
    signs_in_by: [...(account.password_hash === null ? [] : ['password']), ...(passkeys.length === 0 ? [] : ['passkeys'])],
    ...{ two_factor: account.two_factor, locked_at: account.locked_at?.toISOString() },
    ...{ sessions: sessions.length, last_seen_at: sessions[0]?.updated_at.toISOString() },
    memberships: memberships.map(({ org_id, role, paused }) => ({
      ...{ org_id, role, paused },
      organization: organizations.get(org_id)?.slug ?? '',
    })),
  };
});
