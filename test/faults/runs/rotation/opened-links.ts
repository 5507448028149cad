import { randomUUID } from 'node:crypto';
import type { Agency } from '../../../harness/agency.ts';

/** Returns the activation link of a new client. */
export async function invite({ api, invitationLink }: Agency): Promise<string> {
  const email = `${randomUUID()}@example.test`;
  (await api.post('/clients', { email })).expect(201);
  return invitationLink(email);
}

/** Returns the address of a preview of a new project. */
export async function previewOf({ api, writeDraft }: Agency): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Shown' })).expect(201).body;
  await writeDraft(project.id, { 'index.html': '<h1>Draft</h1>' });
  return (await api.get(`/projects/${project.id}/preview`)).expect(200).body.preview_url;
}

export const statusOf = async (link: string) => (await fetch(link)).status;
