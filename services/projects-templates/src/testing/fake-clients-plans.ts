import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { createVerifier, handle, type Serving, serve, type UseCase } from '@webkiln/rpc';

interface FakeClient {
  email: string;
  org_id: string;
  client_id: string;
  user_id: string;
  status: string;
  max_sites?: number;
  /** Runs when the client is looked up. */
  onLookup?: () => void;
}

const known = new Map<string, FakeClient>();

type Wanted = Partial<Pick<FakeClient, 'status' | 'max_sites' | 'onLookup'>>;

/** Adds a client to the fake clients-plans. It is active and without a plan by default. */
export function fakeClient(org_id: string, wanted: Wanted = {}): FakeClient {
  const client_id = randomUUID();
  const client = { email: `${client_id}@example.com`, org_id, client_id, user_id: randomUUID(), status: 'active', ...wanted };
  known.set(client.email, client);
  return client;
}

const getSiteAllowance = handle('clients.GetSiteAllowance', async ({ client_email }, { principal }) => {
  const client = known.get(client_email);
  if (client?.org_id !== principal.org_id) throw new AppError('client_not_found');
  client.onLookup?.();
  return client;
});

const getClient = handle('clients.GetClient', async ({ client_id }, { principal }) => {
  const found = [...known.values()].find((client) => client.client_id === client_id && client.org_id === principal.org_id);
  if (found === undefined) throw new AppError('client_not_found');
  found.onLookup?.();
  const { email, status } = found;
  return { client: { id: client_id, email, status, payment_status: 'none', created_at: new Date().toISOString() } };
});

const unusedUseCases = (
  [
    'clients.ListClients',
    'clients.CreateClient',
    'clients.UpdateClient',
    'clients.ResendInvitation',
    'clients.GetInvitation',
    'clients.AcceptInvitation',
    'plans.ListPlans',
    'plans.CreatePlan',
    'plans.GetPlan',
    'plans.UpdatePlan',
  ] as const
).map(
  (method): UseCase => ({
    method,
    run: async () => {
      throw new Error(`projects-templates does not call ${method}`);
    },
  }),
);

/** Serves a fake clients-plans over gRPC that knows the clients of `fakeClient`. */
export const serveFakeClientsPlans = (publicKey: string): Promise<Serving> =>
  serve({
    service: 'clients-plans',
    useCases: [getSiteAllowance, getClient, ...unusedUseCases, ...deadLetterUseCases],
    verifier: createVerifier({ service: 'clients-plans', trustedKeys: { test: publicKey, 'projects-templates': publicKey } }),
    bind: '127.0.0.1',
    port: 0,
  });
