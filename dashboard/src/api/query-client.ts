import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isMissing, isOutage, isSuspension, Problem } from './problem.ts';

const staleTimeMs = 10_000;
const maxRetries = 2;
const firstDelayMs = 1000;
const maxDelayMs = 5000;

/**
 * Reads the session again when any request is answered with 401. If it has ended, that leads to the sign-in page. A
 * wrong code is a 401 too.
 */
function checkSessionOn401(error: unknown): void {
  if (Problem.of(error).status === 401) void queryClient.invalidateQueries({ queryKey: ['session'] });
}

/**
 * The query cache of all pages. While a part of the platform is away, reads are repeated until it is back; other server
 * errors are retried twice, and refusals are shown at once. If the organization is suspended, or what a page is about
 * does not exist, the nearest `ErrorBoundary` replaces the page.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSessionOn401 }),
  mutationCache: new MutationCache({ onError: checkSessionOn401 }),
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      throwOnError: (error, { meta }) => isSuspension(error) || (meta?.isPage === true && isMissing(error)),
      retry: (failures, error) => isOutage(error) || (failures < maxRetries && Problem.of(error).status >= 500),
      retryDelay: (failures) => Math.min(firstDelayMs * 2 ** failures, maxDelayMs),
    },
  },
});
