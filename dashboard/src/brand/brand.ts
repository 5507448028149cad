import { useSession } from '../api/session.ts';

/** How an organization's clients see it. */
export interface Brand {
  readonly name: string;
  readonly logo: string | null;
  /** `#1a2b3c` */
  readonly accent: string | null;
}

/** Whose pages these are to somebody who is a client; null for members, to whom they are ours. */
export function useBrand(): Brand | null {
  const { role, organization } = useSession();
  if (role !== 'client' || organization === null) return null;
  return { name: organization.name, logo: organization.logo_url, accent: organization.accent_color };
}
