import { usePermission } from './api/permissions.ts';
import { OverviewPage } from './overview/overview-page.tsx';
import { PortalPage } from './portal/portal-page.tsx';

/** The home page: the overview for members, the portal for clients. */
export function Home() {
  return usePermission('seeOrganization') ? <OverviewPage /> : <PortalPage />;
}
