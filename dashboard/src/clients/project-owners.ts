import { useQuery } from '@tanstack/react-query';
import { clientsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import type { Option } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { clientName } from './client-status.tsx';

/** The email is the address by which the agency is, or would be, a client of its own. */
export const isOwnAddress = (own: string, email: string) => own.toLowerCase() === email.toLowerCase();

/**
 * The clients who may have projects, by email: the agency itself first, by the address of the person, also before it is
 * a client. Empty only if the agency has been suspended as a client, and no other has activated its account.
 */
export function useProjectOwners(): Option[] {
  const { account, organization } = useSession();
  const { data: clients = [] } = useQuery(clientsQuery());
  const agency = clients.find(({ email }) => isOwnAddress(account.email, email));
  const agencyName = agency === undefined ? (organization?.name ?? '') : clientName(agency);
  const isOffered = agency === undefined || agency.status === 'active';
  const others = clients.filter((client) => client !== agency && client.status === 'active');
  return [
    ...(isOffered ? [{ id: agency?.email ?? account.email, label: texts.projects.yourAgency({ name: agencyName }) }] : []),
    ...others.map((client) => ({ id: client.email, label: clientName(client) })),
  ];
}
