import { AppError, type AuditAction } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { accountAuditEvent } from '../audit/account-audit-event.ts';
import { assertOperator } from '../authorize.ts';
import { revokeGrants } from '../oauth/store/grant-store.ts';
import { endSessions } from '../sessions/session-store.ts';
import type { PasswordLink } from '../sign-in/password-link.ts';
import { deleteChallenges } from '../sign-in/tables/challenge-store.ts';
import { type AccountState, isVerified } from './account.ts';
import { type Account, accountByEmail, saveAccount } from './account-store.ts';

/**
 * Applies an operator's decision to the account with this email, audited in the organizations that it belongs to; null
 * changes nothing. Throws `validation_failed` if there is none.
 */
export async function decideOn(
  caller: Caller,
  email: string,
  action: AuditAction,
  decide: (account: Account, now: Date) => Partial<AccountState> | null,
): Promise<Account> {
  assertOperator(caller);
  const { kind, credential_id: id } = caller.principal;
  return saveWithRetry(caller, async () => {
    const account = await accountByEmail(email);
    if (account === null) throw new AppError('validation_failed', [{ path: 'email', message: 'belongs to no account' }]);
    const change = decide(account, new Date());
    if (change === null) return account;
    const target = { kind: 'account', id: account._id, name: account.email };
    return saveAccount(caller, account, change, [await accountAuditEvent(account._id, action, { actor: { kind, id }, target })]);
  });
}

/** Ends what the account's sign-ins began, and the access of its agents; the gateways are told. */
export async function endAll(caller: Caller, { _id }: Pick<Account, '_id'>): Promise<number> {
  const ended = await endSessions(caller, { account_id: _id });
  await Promise.all([deleteChallenges(_id), revokeGrants({ account_id: _id })]);
  return ended;
}

/**
 * A link by which the account's person chooses a password, for when no mail reaches it. None with `unless_password` if
 * the person can sign in by one. Throws `validation_failed` for a locked account.
 */
export const createPasswordLink = (linkFor: (accountId: string) => Promise<PasswordLink>) =>
  handle('identity.CreatePasswordLink', async ({ email, unless_password }, caller) => {
    const hasPassword = (account: Account) => account.password_hash !== null && isVerified(account);
    const account = await decideOn(caller, email, 'account.link_created', (found) => {
      if (found.locked_at) throw new AppError('validation_failed', [{ path: 'email', message: 'belongs to a locked account' }]);
      return unless_password && hasPassword(found) ? null : {};
    });
    if (unless_password && hasPassword(account)) return {};
    const { url, expires_at } = await linkFor(account._id);
    return { url, expires_at: expires_at.toISOString() };
  });

const lockStateOf = ({ _id, email, locked_at }: Account, ended_sessions = 0) => ({
  account: { id: _id, email, locked_at: locked_at?.toISOString(), ended_sessions },
});

/** Refuses every way to sign in, then ends all sessions: a sign-in at the same time sees the lock or is ended. */
export const lockAccount = handle('identity.LockAccount', async ({ email }, caller) => {
  const account = await decideOn(caller, email, 'account.locked', ({ locked_at }, now) =>
    locked_at ? null : { locked_at: now, devices_after: now },
  );
  return lockStateOf(account, await endAll(caller, account));
});

export const unlockAccount = handle('identity.UnlockAccount', async ({ email }, caller) =>
  lockStateOf(await decideOn(caller, email, 'account.unlocked', ({ locked_at }) => (locked_at ? { locked_at: null } : null))),
);

/** Signs the person out everywhere; strangers' failures then slow all of its devices until they sign in again. */
export const endAccountSessions = handle('identity.EndAccountSessions', async ({ email }, caller) => {
  const account = await decideOn(caller, email, 'sessions.ended', (_account, now) => ({ devices_after: now }));
  return lockStateOf(account, await endAll(caller, account));
});
