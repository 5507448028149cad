import { Navigate } from 'react-router';
import { useMay } from './api/may.ts';
import { OverviewPage } from './overview/overview-page.tsx';

/** The first page: the overview, or for a client what is his. */
export function Home() {
  return useMay('seeOrganization') ? <OverviewPage /> : <Navigate to="/projects" replace />;
}
