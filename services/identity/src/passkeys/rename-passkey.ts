import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { type PasskeyState, toPasskey } from '../passkeys/passkey.ts';
import { passkeyById, savePasskey } from '../passkeys/passkey-store.ts';
import { accountOf } from './signed-in.ts';

export const renamePasskey = handle('accounts.RenamePasskey', (request, caller) =>
  saveWithRetry(caller, async () => {
    const passkey = await passkeyById(accountOf(caller), request.passkey_id);
    if (passkey === null) throw new AppError('passkey_not_found');
    const { name = passkey.name } = maskedFields<Pick<PasskeyState, 'name'>>(request);
    return { passkey: toPasskey(await savePasskey(caller, passkey, { name: name ?? passkey.name })) };
  }),
);
