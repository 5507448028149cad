import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isMissing, isOutage, isSuspension, Problem } from './problem.ts';

const staleTimeMs = 10_000;
const maxRetries = 2;
const firstDelayMs = 1000;
const maxDelayMs = 5000;

/**
 * Reads the session again when any request is answered with 401, or because a second factor is required by now. If the
 * session has ended, that leads to the sign-in page, else to that of the factor. A wrong code is a 401 too.
 */
function checkSession(error: unknown): void {
  const { status, code } = Problem.of(error);
  if (status === 401 || code === 'second_factor_required') void queryClient.invalidateQueries({ queryKey: ['session'] });
}

/**
 * The query cache of all pages. While a part of the platform is away, reads are repeated until it is back; other server
 * errors are retried twice, and refusals are shown at once. If the organization is suspended, or what a page is about
 * does not exist, the nearest `ErrorBoundary` replaces the page.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({ onError: checkSession }),
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      throwOnError: (error, { meta }) => isSuspension(error) || (meta?.isPage === true && isMissing(error)),
      retry: (failures, error) => isOutage(error) || (failures < maxRetries && Problem.of(error).status >= 500),
      retryDelay: (failures) => Math.min(firstDelayMs * 2 ** failures, maxDelayMs),
    },
  },
});
