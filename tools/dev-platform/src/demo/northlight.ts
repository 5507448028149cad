import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AgencyApi } from './agency-api.ts';
import type { Operator } from './operator.ts';
import { createKey, createOrganization } from './organization.ts';

const siteFolder = path.resolve(import.meta.dirname, '../../demo-site');
const email = 'demo@northlight.example';
const client_email = 'rosa@harbourbakery.example';
const invited_client_email = 'tom@fernandstone.example';

/** With those that every organization begins with: 10,000. */
const grantedCredits = 9_900;

const plan = {
  name: 'Studio',
  description: 'Everything a growing business needs on the web.',
  price: 49,
  max_sites: 100,
  max_ai_messages_daily: 200,
  can_export_code: true,
  can_use_custom_domain: true,
};
const client = { email: client_email, name: 'Rosa Marini', company: 'Harbour Bakery' };
const invited = { email: invited_client_email, name: 'Tom Okafor', company: 'Fern & Stone Gardens' };
const project = { client_email, name: 'Harbour Bakery', description: 'The bakery on the quay: home, menu, visit.' };
const template = { name: 'Neighbourhood bakery', category: 'food', description: 'Three pages for a shop with a counter.' };

/** The main sample organization: an agency with a plan, two clients, a published project and its template. */
export async function createNorthlight(operator: Operator, baseUrl: string) {
  const orgId = await createOrganization(operator, 'Northlight Studio');
  const password = operator.secretFor('password');
  const { member } = await operator.ask('member', 'identity.AddMember', { email, password, role: 'owner' }, orgId);
  const api_key = await createKey(operator, orgId, ['read', 'write'], member?.id);
  const read_only_key = await createKey(operator, orgId, ['read'], member?.id);
  const write_only_key = await createKey(operator, orgId, ['write'], member?.id);

  await operator.ask('credits', 'credits.GrantCredits', { credits: grantedCredits, note: 'For the demo' }, orgId);
  const api = new AgencyApi(baseUrl, api_key);
  const plan_id = await api.create('plan', '/plans', plan);
  const client_id = await api.create('client', '/clients', { ...client, plan_id });
  await api.update(`/clients/${client_id}`, { status: 'active' });
  await api.create('client', '/clients', invited);
  const project_id = await api.create('project', '/projects', project);
  await operator.ask('site', 'projects.WriteDraft', { project_id, files: siteFiles() }, orgId);
  const site_url = await api.publish(project_id);
  const template_id = await api.create('template', '/templates', { ...template, source_project_id: project_id });
  return {
    member: { email, password },
    api_key,
    read_only_key,
    write_only_key,
    client_email,
    project_id,
    site_url,
    template_id,
    plan_id,
    invited_client_email,
  };
}

const siteFiles = () => readdirSync(siteFolder).map((name) => ({ path: name, content: readFileSync(path.join(siteFolder, name)) }));
