import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { callAuth } from './auth.ts';
import { sessionQuery } from './session.ts';

/** Ends the session and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return async () => {
    await callAuth<unknown>((auth) => auth.signOut());
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    await navigate('/sign-in');
  };
}
