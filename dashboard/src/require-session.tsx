import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { sessionQuery } from './api/session.ts';
import { changeLanguage, language } from './texts/language.ts';

interface Props {
  /** Called with the path before the session is known, so that the code loads in parallel. */
  readonly load: (pathname: string) => void;
  readonly children: ReactNode;
}

/**
 * Requires a session with an organization. Others are redirected to sign-in and return here afterwards. The page comes
 * in the language of the account.
 */
export function RequireSession({ load, children }: Props) {
  const { pathname, search } = useLocation();
  load(pathname);
  const { data: session } = useSuspenseQuery(sessionQuery);
  const wanted = session?.account.language ?? language;
  useEffect(() => {
    if (wanted !== language) changeLanguage(wanted);
  }, [wanted]);
  if (session === null) return <Navigate to={`/sign-in?${new URLSearchParams({ next: `${pathname}${search}` })}`} replace />;
  if (session.second_factor_required)
    return <Navigate to={`/second-factor?${new URLSearchParams({ next: `${pathname}${search}` })}`} replace />;
  if (session.organization === null) return <Navigate to="/create-organization" replace />;
  return children;
}
