import { randomUUID } from 'node:crypto';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import { somePicture } from '../../../harness/pictures.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { sendForm } from '../../../harness/visitor.ts';
import { listAll } from './compare-records.ts';

const unlimited = 1_000_000;
const lists = ['clients', 'projects', 'templates', 'plans', 'webhooks'];

/** Settings of the platform that is seeded. No host name resolves, so webhooks may have any URL and reach nobody. */
export const seedSettings = { RATE_LIMIT: String(unlimited), OUTBOUND_DNS_SERVERS: '127.0.0.1:1' };

/** An agency with one record of each kind. `secret` occurs in all of these records and nowhere else. */
export interface SeedFixtures {
  readonly agency: Agency;
  readonly secret: string;
  /** Path parameters: `{clientId: …, path: 'index.html'}`. The client's invitation is open, and its order not paid. */
  readonly params: Readonly<Record<string, string>>;
  /** Values for body and query fields that refer to a record. */
  readonly references: Readonly<Record<string, string>>;
  /** Submits a form on the project's site and returns the submission's id. */
  readonly submitForm: () => Promise<string>;
}

export async function seedFixtures(platform: PlatformFacts): Promise<SeedFixtures> {
  const ours = await agency(platform, { rateLimit: unlimited });
  const secret = randomUUID();
  const email = `owner-${secret}@example.test`;
  const post = async (path: string, body: object) => (await ours.api.post(path, { name: secret, ...body })).expect(201).body;
  const { plan } = await post('/plans', { price: 1, max_sites: 1_000_000 });
  const { client: owner } = await post('/clients', { email, plan_id: plan.id });
  (await ours.api.patch(`/clients/${owner.id}`, { status: 'active' })).expect(200);
  const hook = { url: `https://${secret}.example.test/`, events: ['client.created'] };
  const { webhook } = (await ours.api.post('/webhooks', hook)).expect(201).body;
  const { client } = await post('/clients', { email: `invited-${secret}@example.test`, plan_id: plan.id });
  const [order] = (await ours.api.get(`/orders?client_id=${client.id}`)).expect(200).body.orders;
  const { project } = await post('/projects', { client_email: email });
  await ours.writeDraft(project.id, { 'index.html': secret });
  const { deployId, url } = (await ours.api.post(`/projects/${project.id}/publish`)).expect(200).body;
  // Its confirmation is open, so that it can be sent again.
  const recipient = { notification_email: `desk-${secret}@example.test` };
  (await ours.api.patch(`/projects/${project.id}/forms/settings`, recipient)).expect(200);
  const { revisions } = (await ours.api.get(`/projects/${project.id}/revisions`)).expect(200).body;
  const { picture } = await post(`/projects/${project.id}/pictures`, { file: somePicture() });
  const { template } = await post('/templates', { source_project_id: project.id });
  const submitForm = async () => {
    const message = randomUUID();
    const { status } = await sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { secret, message });
    if (status !== 303) throw new Error(`the form submission was answered ${status}`);
    // The run submits so many forms per minute that some are classified as spam.
    const lists = [false, true].map((spam) => ours.api.get(`/projects/${project.id}/forms/submissions?spam=${spam}&limit=100`));
    const kept = (await Promise.all(lists)).flatMap((answer) => answer.expect(200).body.submissions);
    return kept.find(({ fields }) => fields.message === message).id;
  };
  const submissionId = await submitForm();
  const delivery = await eventually(async () => {
    const { deliveries } = (await ours.api.get(`/webhooks/${webhook.id}/deliveries`)).expect(200).body;
    if (deliveries.length === 0) throw new Error('no delivery yet');
    return deliveries[0];
  });
  return {
    agency: ours,
    secret,
    params: {
      clientId: client.id,
      orderId: order.id,
      planId: plan.id,
      projectId: project.id,
      deployId,
      revisionId: revisions[0].id,
      templateId: template.id,
      webhookId: webhook.id,
      deliveryId: delivery.id,
      submissionId,
      pictureId: picture.id,
      // Of no key of the agency: each reaches the sessions that it made.
      toolSessionId: randomUUID(),
      path: 'index.html',
    },
    references: {
      client_id: owner.id,
      client_email: email,
      plan_id: plan.id,
      project_id: project.id,
      source_project_id: project.id,
      template_id: template.id,
    },
    submitForm,
  };
}

/** All records of an agency by list name, for comparison. */
export async function inventory({ api }: Agency): Promise<Readonly<Record<string, readonly { readonly id: string }[]>>> {
  return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await listAll(api, list)] as const)));
}

export const pathOf = (path: string, params: Readonly<Record<string, string>>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
