import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import * as z from 'zod';
import { auditedOf } from '../audit/audited-of.ts';
import { passkeyById, savePasskey } from '../passkeys/passkey-store.ts';
import { assertProven } from './assert-proven.ts';
import { ownCaller } from './own-caller.ts';

/** Takes one of one's own passkeys away: it signs in no more. */
export const removePasskey = createAuthEndpoint(
  '/passkey/remove',
  { method: 'POST', body: z.object({ id: z.string(), password: z.string().optional() }), use: [sessionMiddleware] },
  async (context) => {
    const { user } = context.context.session;
    const { id, password } = context.body;
    await assertProven(context.context.session, password);
    const caller = ownCaller();
    await saveWithRetry(caller, async () => {
      const passkey = await passkeyById(user.id, id);
      if (passkey === null)
        throw new APIError('NOT_FOUND', { code: 'PASSKEY_NOT_FOUND', message: 'No passkey with this id in your account' });
      const removed = await auditedOf(user.id, 'passkey.removed', { target: { kind: 'passkey', id, name: passkey.name } });
      await savePasskey(caller, passkey, { removed_at: new Date() }, [removed]);
    });
    return context.json({ deleted: true, id });
  },
);
