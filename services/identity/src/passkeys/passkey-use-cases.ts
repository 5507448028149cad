import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentAccountId } from '../authorize.ts';
import { type PasskeyState, toPasskey } from './passkey.ts';
import { passkeyById, passkeysOf, savePasskey } from './passkey-store.ts';

const listPasskeys = handle('accounts.ListPasskeys', async (_request, caller) => {
  const passkeys = (await passkeysOf(currentAccountId(caller))).map(toPasskey);
  return { passkeys, total: passkeys.length };
});

const renamePasskey = handle('accounts.RenamePasskey', (request, caller) =>
  saveWithRetry(caller, async () => {
    const passkey = await passkeyById(currentAccountId(caller), request.passkey_id);
    if (passkey === null) throw new AppError('passkey_not_found');
    const { name = passkey.name } = maskedFields<Pick<PasskeyState, 'name'>>(request);
    return { passkey: toPasskey(await savePasskey(caller, passkey, { name: name ?? passkey.name })) };
  }),
);

export const passkeyUseCases = [listPasskeys, renamePasskey];
