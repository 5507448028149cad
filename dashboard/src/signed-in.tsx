import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { sessionQuery } from './api/session.ts';

/** What only somebody sees who is signed in and in an organization; others are sent to where they get there, and back here. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { pathname, search } = useLocation();
  if (session === null) return <Navigate to={`/sign-in?${new URLSearchParams({ next: `${pathname}${search}` })}`} replace />;
  if (session.organization === null) return <Navigate to="/create-organization" replace />;
  return children;
}
