import { useEffect } from 'react';
import { Skeleton } from './components/feedback/skeleton.tsx';

/** Loads the address from the server: its page is not part of the dashboard. */
export function OtherPage() {
  useEffect(() => location.reload(), []);
  return <Skeleton />;
}
