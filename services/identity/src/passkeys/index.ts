import { listPasskeys } from './list-passkeys.ts';
import { renamePasskey } from './rename-passkey.ts';

export const passkeyUseCases = [listPasskeys, renamePasskey];
