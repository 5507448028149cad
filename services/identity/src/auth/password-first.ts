import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';

const path = '/change-email';

/** Who changes the address that an account goes by shows to know its password, as for a new password: a browser that was left open is not enough. */
export const passwordFirst = {
  id: 'password-first',
  hooks: {
    before: [
      {
        matcher: (context: { path?: string }) => context.path === path,
        handler: createAuthMiddleware(async (context) => {
          const session = await getSessionFromCtx(context);
          if (session !== null) await context.context.password.checkPassword(session.user.id, context);
        }),
      },
    ],
  },
};
