import { createAuthClient } from 'better-auth/client';
import { inferAdditionalFields, twoFactorClient } from 'better-auth/client/plugins';

/** The client of better-auth, which serves sign-in at /api/auth. */
export const auth = createAuthClient({
  basePath: '/api/auth',
  plugins: [twoFactorClient(), inferAdditionalFields({ user: { organization_name: { type: 'string', required: false } } })],
});
