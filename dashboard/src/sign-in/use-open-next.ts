import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearchParams } from 'react-router';
import { sessionQuery } from '../api/session.ts';
import { nextPath } from './next-path.ts';

/** Opens the page that `next` names, as the session that this browser has by now sees it. */
export function useOpenNext(): () => Promise<void> {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return async () => {
    queryClient.clear();
    await queryClient.fetchQuery(sessionQuery);
    await navigate(nextPath(search), { replace: true });
  };
}
