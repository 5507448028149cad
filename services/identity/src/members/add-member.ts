import { AppError, validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { isVerified } from '../accounts/account.ts';
import { accountFor, saveAccount } from '../accounts/account-store.ts';
import { hashPassword, passwordMatches } from '../accounts/password.ts';
import { operatedOrganization } from '../authorize.ts';
import { NewMember, toMember } from './member.ts';
import { insertMember } from './member-store.ts';

export const addMember = handle('identity.AddMember', async (request, caller) => {
  await operatedOrganization(caller);
  const { email, role, password } = validate(NewMember, request);
  const account = await saveWithRetry(caller, async () => {
    const known = await accountFor(caller, email, null);
    if (password === undefined) return known;
    if (known.password_hash !== null && isVerified(known)) {
      // The same password again: an attempt that was cut off before it added the member.
      if (await passwordMatches(password, known.password_hash)) return known;
      throw new AppError('validation_failed', [{ path: 'password', message: 'cannot be set: this person has one already' }]);
    }
    return saveAccount(caller, known, { password_hash: await hashPassword(password), email_verified: true });
  });
  const member = await insertMember(caller, { _id: newId(caller, 'member'), account_id: account._id, role, created_at: new Date() });
  return { member: toMember(member, account.email) };
});
