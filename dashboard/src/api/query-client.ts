import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSuspension, Problem } from './problem.ts';

const staleTimeMs = 10_000;
const maxRetries = 2;

/**
 * Reads the session again when any request is answered with 401. If it has ended, that leads to the sign-in page. A
 * wrong code is a 401 too.
 */
function checkSessionOn401(error: unknown): void {
  if (Problem.of(error).status === 401) void queryClient.invalidateQueries({ queryKey: ['session'] });
}

/**
 * The query cache of all pages. Network and server errors are retried; refusals are shown at once. If the organization
 * is suspended, the nearest `ErrorBoundary` replaces the page.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSessionOn401 }),
  mutationCache: new MutationCache({ onError: checkSessionOn401 }),
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      throwOnError: isSuspension,
      retry: (failures, error) => {
        const { status } = Problem.of(error);
        return failures < maxRetries && (status === 0 || status >= 500);
      },
    },
  },
});
