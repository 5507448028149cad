import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from './problem.ts';

const staleTimeMs = 10_000;
const maxRetries = 2;

/** Clears the session when any request is answered with 401, which leads to the sign-in page. */
function clearSessionOn401(error: unknown): void {
  if (Problem.of(error).status === 401) queryClient.setQueryData(['session'], null);
}

/** The query cache of all pages. Network and server errors are retried; refusals are shown at once. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: clearSessionOn401 }),
  mutationCache: new MutationCache({ onError: clearSessionOn401 }),
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      retry: (failures, error) => {
        const { status } = Problem.of(error);
        return failures < maxRetries && (status === 0 || status >= 500);
      },
    },
  },
});
