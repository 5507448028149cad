import { randomUUID } from 'node:crypto';
import type { Client, Plan, Project, Template, Webhook } from '@webkiln/contract';
import type { Api } from '../harness/api.ts';

/** Returns an email address that no other test uses. */
export const someEmail = () => `client-${randomUUID()}@example.test`;

export async function makePlan(api: Api, fields: Partial<Plan> = {}): Promise<Plan> {
  return (await api.post('/plans', { name: 'Care', price: 29, ...fields })).expect(201).body.plan as Plan;
}

export async function inviteClient(api: Api, fields: Partial<Client> = {}): Promise<Client> {
  return (await api.post('/clients', { email: someEmail(), ...fields })).expect(201).body.client as Client;
}

/** Makes a client whose account is active, so that projects can be created for it. */
export async function activeClient(api: Api, fields: Partial<Client> = {}): Promise<Client> {
  const { id } = await inviteClient(api, fields);
  return (await api.patch(`/clients/${id}`, { status: 'active' })).expect(200).body.client as Client;
}

export async function makeProject(api: Api, client?: Client, fields: Partial<Project> & { template_id?: string } = {}): Promise<Project> {
  const { email } = client ?? (await activeClient(api));
  return (await api.post('/projects', { client_email: email, name: 'Bakery', ...fields })).expect(201).body.project as Project;
}

export async function makeTemplate(api: Api, fields: Partial<Template> & { source_project_id?: string } = {}): Promise<Template> {
  return (await api.post('/templates', { name: 'Starter', ...fields })).expect(201).body.template as Template;
}

/** A webhook URL where nothing listens and that needs no DNS lookup. */
export const someHook = 'https://127.0.0.1/hook';

export async function makeWebhook(api: Api, fields: Partial<Webhook> = {}): Promise<Webhook & { secret: string }> {
  return (await api.post('/webhooks', { url: someHook, events: ['client.created'], ...fields })).expect(201).body.webhook;
}
