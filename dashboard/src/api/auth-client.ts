import { createAuthClient } from 'better-auth/client';
import { inferAdditionalFields, twoFactorClient } from 'better-auth/client/plugins';

/** Sign-in and all that belongs to it, by the client of the library that answers at /api/auth. */
export const auth = createAuthClient({
  basePath: '/api/auth',
  plugins: [twoFactorClient(), inferAdditionalFields({ user: { organization_name: { type: 'string', required: false } } })],
});
