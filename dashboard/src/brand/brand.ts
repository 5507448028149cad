import { useSession } from '../api/session.ts';

/** How an organization presents itself to its clients. */
export interface Brand {
  readonly name: string;
  readonly logo: string | null;
  /** `#1a2b3c` */
  readonly accent: string | null;
}

/** The brand to show: the organization's for clients, null (Webkiln's) for members. */
export function useBrand(): Brand | null {
  const { role, organization } = useSession();
  if (role !== 'client' || organization === null) return null;
  return { name: organization.name, logo: organization.logo_url, accent: organization.accent_color };
}
