import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { organizationById } from '../organizations/organization-store.ts';

const path = '/two-factor/enable';

/** What names the account in an authenticator app: for a client's user the agency, as everything else that he sees; for others it is ours. */
export const agencyAsIssuer = {
  id: 'agency-as-issuer',
  hooks: {
    before: [
      {
        matcher: (context: { path?: string }) => context.path === path,
        handler: createAuthMiddleware(async (context) => {
          const session = await getSessionFromCtx(context);
          const { org_id, membership_kind } = (session?.session ?? {}) as { org_id?: string; membership_kind?: string };
          const agency = org_id && membership_kind === 'user' ? await organizationById(org_id) : null;
          if (agency === null) return;
          // A colon ends the issuer in the app's address of the account.
          return { context: { body: { ...context.body, issuer: agency.name.replace(/\s*:\s*/g, ' ') } } };
        }),
      },
    ],
  },
};
