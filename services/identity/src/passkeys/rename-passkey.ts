import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentAccountId } from '../authorize.ts';
import { type PasskeyState, toPasskey } from './passkey.ts';
import { passkeyById, savePasskey } from './passkey-store.ts';

export const renamePasskey = handle('accounts.RenamePasskey', (request, caller) =>
  saveWithRetry(caller, async () => {
    const passkey = await passkeyById(currentAccountId(caller), request.passkey_id);
    if (passkey === null) throw new AppError('passkey_not_found');
    const { name = passkey.name } = maskedFields<Pick<PasskeyState, 'name'>>(request);
    return { passkey: toPasskey(await savePasskey(caller, passkey, { name: name ?? passkey.name })) };
  }),
);
