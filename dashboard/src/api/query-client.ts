import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from './problem.ts';

const freshMs = 10_000;
const triesMost = 2;

/** A sign-in that is over is noticed by whatever is asked next. */
function notice(error: unknown): void {
  if (Problem.of(error).status === 401) queryClient.setQueryData(['session'], null);
}

/** What has been read, for all pages. What may pass by itself is tried again; a refusal is shown at once. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      retry: (failures, error) => {
        const { status } = Problem.of(error);
        return failures < triesMost && (status === 0 || status >= 500);
      },
    },
  },
});
