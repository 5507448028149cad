import { Navigate } from 'react-router';
import { usePermission } from './api/permissions.ts';
import { OverviewPage } from './overview/overview-page.tsx';

/** The home page: the overview for members, the project list for clients. */
export function Home() {
  return usePermission('seeOrganization') ? <OverviewPage /> : <Navigate to="/projects" replace />;
}
