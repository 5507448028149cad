import * as z from 'zod';
import { CreatedAt, Name, RecordId, Timestamp, Total } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const Passkey = z
  .object({
    id: RecordId,
    name: Name.describe('To know it again, such as the name of the device'),
    backed_up: z.boolean().describe('Whether it is synced by a password manager: it survives the loss of a device'),
    created_at: CreatedAt,
    last_used_at: Timestamp.nullable().describe('When somebody signed in with it last, ISO 8601 in UTC; null if nobody did'),
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
  description: 'Passkeys are added and removed in the dashboard, which asks the device.',
  permission: 'read',
  rpc: 'accounts.ListPasskeys',
  output: z.object({ passkeys: z.array(Passkey).describe('The passkeys, oldest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const renamePasskey = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/passkeys/{passkeyId}',
  summary: 'Give a passkey another name',
  description: 'The name is for the person alone: signing in does not depend on it.',
  permission: 'write',
  rpc: 'accounts.RenamePasskey',
  input: z.strictObject({ name: Name.describe('To know it again, 1 to 200 characters') }).partial(),
  output: z.object({ passkey: Passkey }),
  success: 200,
  etag: false,
  errors: ['passkey_not_found'],
});
