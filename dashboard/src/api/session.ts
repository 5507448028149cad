import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { paths } from '../../gen/openapi.ts';
import { api, readJson } from './client.ts';
import { Problem } from './problem.ts';

type Answer = paths['/account/session']['get']['responses'][200]['content']['application/json'];
export type Session = Answer & { readonly account: NonNullable<Answer['account']> };
export type Role = NonNullable<Session['role']>;

const isSession = (answer: Answer): answer is Session => answer.account !== null;

/** The session: account, organization and role. Null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      const answer = await readJson(api.GET('/account/session'));
      return isSession(answer) ? answer : null;
    } catch (error) {
      if (Problem.of(error).status === 401) return null;
      throw error;
    }
  },
});

/** The session, on pages inside `RequireSession`. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Problem(401, {});
  return data;
}
