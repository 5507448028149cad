import { lazy } from 'react';
import { usePermission } from './api/permissions.ts';

// Apart, so that nothing of them loads before it is known who is signed in.
const OverviewPage = lazy(async () => ({ default: (await import('./overview/overview-page.tsx')).OverviewPage }));
const PortalPage = lazy(async () => ({ default: (await import('./portal/portal-page.tsx')).PortalPage }));

/** The home page: the overview for members, the portal for clients. */
export function Home() {
  return usePermission('seeOrganization') ? <OverviewPage /> : <PortalPage />;
}
