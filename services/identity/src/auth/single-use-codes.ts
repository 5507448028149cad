import { isDuplicate } from '@webkiln/store';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { takeCode } from './challenge-store.ts';

const path = '/two-factor/verify-totp';
const codeForm = /^\d{6}$/;

/** A code of an authenticator app signs in once (RFC 6238 §5.2): whoever read it over a shoulder, or off the wire, comes too late. */
export const singleUseCodes = {
  id: 'single-use-codes',
  hooks: {
    before: [
      {
        matcher: (context: { path?: string }) => context.path === path,
        handler: createAuthMiddleware(async (context) => {
          const code = String((context.body as { code?: unknown } | undefined)?.code ?? '');
          const cookie = context.context.createAuthCookie('two_factor');
          const challenge = await context.getSignedCookie(cookie.name, context.context.secret);
          if (!challenge || !codeForm.test(code)) return;
          const found = await context.context.internalAdapter.findVerificationValue(challenge);
          if (!found) return;
          await takeCode(found.value, code).catch((error: unknown) => {
            if (!isDuplicate(error)) throw error;
            throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
          });
        }),
      },
    ],
  },
};
