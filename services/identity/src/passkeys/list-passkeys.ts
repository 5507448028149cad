import { handle } from '@webkiln/rpc';
import { toPasskey } from '../passkeys/passkey.ts';
import { passkeysOf } from '../passkeys/passkey-store.ts';
import { accountOf } from './signed-in.ts';

export const listPasskeys = handle('accounts.ListPasskeys', async (_request, caller) => {
  const passkeys = (await passkeysOf(accountOf(caller))).map(toPasskey);
  return { passkeys, total: passkeys.length };
});
