import { createAuthMiddleware, isAPIError } from 'better-auth/api';

const path = '/verify-email';

/** Who follows a link from a mail is a person at a browser: what refuses the address leads back to the page that asked for it, as the library's own refusals do. */
export const linkErrors = {
  id: 'link-errors',
  hooks: {
    after: [
      {
        matcher: (context: { path?: string }) => context.path === path,
        handler: createAuthMiddleware(async (context) => {
          const { returned, baseURL } = context.context;
          const { callbackURL } = (context.query ?? {}) as { callbackURL?: string };
          if (callbackURL === undefined || !isAPIError(returned) || returned.body?.code !== 'ADDRESS_TAKEN') return;
          const back = new URL(callbackURL, baseURL);
          back.searchParams.set('error', 'ADDRESS_TAKEN');
          return new Response(null, { status: 302, headers: { location: `${back.pathname}${back.search}` } });
        }),
      },
    ],
  },
};
