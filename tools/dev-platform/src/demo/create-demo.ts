import { closePeers, connectPeers } from '@webkiln/rpc';
import type { Addresses } from '../platform/process-table.ts';
import type { Secrets } from '../platform/secrets.ts';
import { AgencyApi } from './agency-api.ts';
import { createNorthlight } from './northlight.ts';
import { Operator } from './operator.ts';
import { createKey, createOrganization } from './organization.ts';

/** Creates both organizations, or completes an interrupted attempt. */
export async function createDemo(baseUrl: string, addresses: Addresses, secrets: Secrets) {
  connectPeers({
    issuer: 'operator',
    signingKey: secrets.OPERATOR_SIGNING_KEY,
    transport: 'unary',
    addresses: {
      identity: addresses.IDENTITY_ADDRESS,
      'projects-templates': addresses.PROJECTS_TEMPLATES_ADDRESS,
      embed: addresses.EMBED_ADDRESS,
    },
  });
  try {
    const operator = new Operator(secrets.demo_seed);
    const [northlight, other_org] = await Promise.all([createNorthlight(operator, baseUrl), createSecondOrganization(operator, baseUrl)]);
    return { ...northlight, other_org };
  } finally {
    await closePeers();
  }
}

const client = { email: 'ines@cortado.example', name: 'Inês Duarte', company: 'Cortado Bikes' };
const project = { client_email: client.email, name: 'Cortado Bikes', description: 'Repairs, rentals, coffee.' };

/** A second agency, to show that the first one's keys do not reach it. */
async function createSecondOrganization(operator: Operator, baseUrl: string) {
  const orgId = await createOrganization(operator, 'Fjord Digital');
  const api_key = await createKey(operator, orgId, ['read', 'write']);
  const api = new AgencyApi(baseUrl, api_key);
  const client_id = await api.create('client', '/clients', client);
  await api.update(`/clients/${client_id}`, { status: 'active' });
  const project_id = await api.create('project', '/projects', project);
  return { api_key, client_id, project_id };
}
