import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import * as z from 'zod';
import { accountAuditEvent } from '../audit/account-audit-event.ts';
import { assertReauthenticated } from '../sign-in/assert-reauthenticated.ts';
import { identityCaller } from '../sign-in/identity-caller.ts';
import { passkeyById, savePasskey } from './passkey-store.ts';

/** Removes a passkey of the signed-in account. */
export const removePasskey = createAuthEndpoint(
  '/passkey/remove',
  { method: 'POST', body: z.object({ id: z.string(), password: z.string().optional() }), use: [sessionMiddleware] },
  async (context) => {
    const { user } = context.context.session;
    const { id, password } = context.body;
    await assertReauthenticated(context.context.session, password);
    const caller = identityCaller();
    await saveWithRetry(caller, async () => {
      const passkey = await passkeyById(user.id, id);
      if (passkey === null)
        throw new APIError('NOT_FOUND', { code: 'PASSKEY_NOT_FOUND', message: 'No passkey with this id in your account' });
      const removed = await accountAuditEvent(user.id, 'passkey.removed', { target: { kind: 'passkey', id, name: passkey.name } });
      await savePasskey(caller, passkey, { removed_at: new Date() }, [removed]);
    });
    return context.json({ deleted: true, id });
  },
);
