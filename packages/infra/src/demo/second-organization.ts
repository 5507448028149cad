import { AgencyApi } from './agency-api.ts';
import type { Operator } from './operator.ts';
import { createKey, createOrganization } from './organization.ts';

const client = { email: 'ines@cortado.example', name: 'Inês Duarte', company: 'Cortado Bikes' };
const project = { client_email: client.email, name: 'Cortado Bikes', description: 'Repairs, rentals, coffee.' };

/** Another agency, for whoever wants to see that the first one's keys do not reach it. */
export async function createSecondOrganization(operator: Operator, baseUrl: string) {
  const orgId = await createOrganization(operator, 'Fjord Digital');
  const api_key = await createKey(operator, orgId, ['read', 'write']);
  const api = new AgencyApi(baseUrl, api_key);
  const client_id = await api.create('client', '/clients', client);
  await api.update(`/clients/${client_id}`, { status: 'active' });
  const project_id = await api.create('project', '/projects', project);
  return { api_key, client_id, project_id };
}
