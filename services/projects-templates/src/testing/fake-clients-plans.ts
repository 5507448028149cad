import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { type Serving, serve, type UseCase } from '@webkiln/rpc';
import { trustingVerifier, useCasesOf } from '@webkiln/rpc/testing';

interface FakeClient {
  email: string;
  org_id: string;
  client_id: string;
  user_id: string;
  status: string;
  max_sites?: number;
  joined_by_link?: boolean;
  /** What its plan includes. */
  rights?: { can_export_code: boolean; can_use_custom_domain: boolean };
  /** The plan that allows more than its own, or that looking for one fails. */
  better?: { id: string; name: string; allowed: number } | 'failing';
  /** Runs when the client is looked up. */
  onLookup?: () => void;
}

const known = new Map<string, FakeClient>();

type Wanted = Partial<Pick<FakeClient, 'status' | 'max_sites' | 'joined_by_link' | 'rights' | 'better' | 'onLookup'>>;

/** Adds a client to the fake clients-plans. It is active and without a plan by default. */
export function fakeClient(org_id: string, wanted: Wanted = {}): FakeClient {
  const client_id = randomUUID();
  const client = { email: `${client_id}@example.com`, org_id, client_id, user_id: randomUUID(), status: 'active', ...wanted };
  known.set(client.email, client);
  return client;
}

const getSiteAllowance: UseCase<'clients.GetSiteAllowance'>['run'] = async ({ client_email }, { principal }) => {
  const client = known.get(client_email);
  if (client?.org_id !== principal.org_id) throw new AppError('client_not_found');
  client.onLookup?.();
  return client;
};

/** Members whose address nobody has used yet: the first use makes the organization its own client. */
const members = new Map<string, FakeClient>();

/** Adds a member's address that is no client's. */
export function fakeMember(org_id: string): FakeClient {
  const member = fakeClient(org_id);
  known.delete(member.email);
  members.set(member.email, member);
  return member;
}

/** The actors who made an organization its own client, by its email. */
export const actors = new Map<string, unknown>();

const admitOwnClient: UseCase<'clients.AdmitOwnClient'>['run'] = async ({ email, actor }, { principal }) => {
  const member = members.get(email);
  if (member?.org_id !== principal.org_id) throw new AppError('client_not_found');
  known.set(email, member);
  actors.set(email, actor);
  return {};
};

const getClient: UseCase<'clients.GetClient'>['run'] = async ({ client_id }, { principal }) => {
  const found = [...known.values()].find((client) => client.client_id === client_id && client.org_id === principal.org_id);
  if (found === undefined) throw new AppError('client_not_found');
  found.onLookup?.();
  const { email, status } = found;
  return { client: { id: client_id, email, status, payment_status: 'none', created_at: new Date().toISOString() } };
};

const byId = (id: string) => [...known.values()].find(({ client_id }) => client_id === id);
const every = { can_export_code: true, can_use_custom_domain: true };

/** A plan that is asked for allows one site. */
const getPlanRights: UseCase<'clients.GetPlanRights'>['run'] = async ({ client_id, plan_id }) => {
  const client = byId(client_id);
  if (plan_id !== undefined) return { can_export_code: false, can_use_custom_domain: false, plan_name: 'Care', max_sites: 1 };
  return { ...(client?.rights ?? every), max_sites: client?.max_sites };
};

const findPlanAllowing: UseCase<'clients.FindPlanAllowing'>['run'] = async ({ client_id }) => {
  const found = byId(client_id)?.better;
  if (found === 'failing') throw new AppError('client_not_found');
  return { plan_name: 'Care', found };
};

/** Serves a fake clients-plans over gRPC that knows the clients of `fakeClient`. */
export const serveFakeClientsPlans = (publicKey: string): Promise<Serving> =>
  serve({
    service: 'clients-plans',
    useCases: useCasesOf('clients-plans', {
      'clients.GetSiteAllowance': getSiteAllowance,
      'clients.AdmitOwnClient': admitOwnClient,
      'clients.GetClient': getClient,
      'clients.GetPlanRights': getPlanRights,
      'clients.FindPlanAllowing': findPlanAllowing,
    }),
    verifier: trustingVerifier('clients-plans', publicKey, ['test', 'projects-templates']),
    bind: '127.0.0.1',
    port: 0,
  });
