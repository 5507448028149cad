import * as z from 'zod';
import { Name, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const Passkey = z
  .object({
    id: Uuid,
    name: Name,
    backed_up: z.boolean().describe('Whether it is synced by a password manager: it survives the loss of a device'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({
    id: 'Passkey',
    description: 'A key of a device or password manager that signs in without password and second factor (WebAuthn)',
  });

const people = { tag: 'Account', credential: 'session', roles: 'anyone' } as const;

export const listPasskeys = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/passkeys',
  summary: 'The passkeys that sign in to this account, oldest first',
  permission: 'read',
  rpc: 'accounts.ListPasskeys',
  output: z.object({ passkeys: z.array(Passkey), total: Total }),
  success: 200,
  errors: [],
});

export const renamePasskey = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/passkeys/{passkeyId}',
  summary: 'Give a passkey another name',
  permission: 'write',
  rpc: 'accounts.RenamePasskey',
  input: z.strictObject({ name: Name }).partial(),
  output: z.object({ passkey: Passkey }),
  success: 200,
  etag: false,
  errors: ['passkey_not_found'],
});
