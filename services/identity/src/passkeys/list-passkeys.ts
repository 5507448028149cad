import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { toPasskey } from './passkey.ts';
import { passkeysOf } from './passkey-store.ts';

export const listPasskeys = handle('accounts.ListPasskeys', async (_request, caller) => {
  const passkeys = (await passkeysOf(currentAccountId(caller))).map(toPasskey);
  return { passkeys, total: passkeys.length };
});
