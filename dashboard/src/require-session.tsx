import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { sessionQuery } from './api/session.ts';

interface Props {
  /** Called with the address before it is known who asks, so that the code comes meanwhile. */
  readonly load: (pathname: string) => void;
  readonly children: ReactNode;
}

/** What only somebody sees who is signed in and in an organization; others are sent to where they get there, and back here. */
export function SignedIn({ load, children }: Props) {
  const { pathname, search } = useLocation();
  load(pathname);
  const { data: session } = useSuspenseQuery(sessionQuery);
  if (session === null) return <Navigate to={`/sign-in?${new URLSearchParams({ next: `${pathname}${search}` })}`} replace />;
  if (session.organization === null) return <Navigate to="/create-organization" replace />;
  return children;
}
