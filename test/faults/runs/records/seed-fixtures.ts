import { randomUUID } from 'node:crypto';
import { type Agency, agency, eventually } from '../../harness/agency.ts';
import type { PlatformFacts } from '../../harness/test-platform.ts';
import { sendForm } from '../../harness/visitor.ts';
import { listAll } from './compare.ts';

const unlimited = 1_000_000;
const lists = ['clients', 'projects', 'templates', 'plans', 'webhooks'];

/** Of a platform that estates are made on: no name resolves, so that webhooks can be named by any and call nobody. */
export const estateSettings = { RATE_LIMIT: String(unlimited), OUTBOUND_DNS_SERVERS: '127.0.0.1:1' };

/** An agency with a record of each kind; `secret` stands in all of them and nowhere else. */
export interface Estate {
  readonly agency: Agency;
  readonly secret: string;
  /** Path parameters: `{clientId: …, path: 'index.html'}`. The client has not accepted the invitation yet. */
  readonly params: Readonly<Record<string, string>>;
  /** Fields of bodies and queries that name a record. */
  readonly references: Readonly<Record<string, string>>;
  /** Sends a form of the project's site; returns the submission's id. */
  readonly submitForm: () => Promise<string>;
}

export async function makeEstate(platform: PlatformFacts): Promise<Estate> {
  const ours = await agency(platform, { rateLimit: unlimited });
  const secret = randomUUID();
  const email = `owner-${secret}@example.test`;
  const post = async (path: string, body: object) => (await ours.api.post(path, { name: secret, ...body })).expect(201).body;
  const { plan } = await post('/plans', { price: 1, max_sites: 1_000_000 });
  const { client: owner } = await post('/clients', { email, plan_id: plan.id });
  (await ours.api.patch(`/clients/${owner.id}`, { status: 'active' })).expect(200);
  const hook = { url: `https://${secret}.example.test/`, events: ['client.created'] };
  const { webhook } = (await ours.api.post('/webhooks', hook)).expect(201).body;
  const { client } = await post('/clients', { email: `invited-${secret}@example.test` });
  const { project } = await post('/projects', { client_email: email });
  await ours.writeDraft(project.id, { 'index.html': secret });
  const { deployId, url } = (await ours.api.post(`/projects/${project.id}/publish`)).expect(200).body;
  const { template } = await post('/templates', { source_project_id: project.id });
  const submitForm = async () => {
    const message = randomUUID();
    const { status } = await sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { secret, message });
    if (status !== 303) throw new Error(`the form was answered ${status}`);
    // So many in a minute that some are taken for spam.
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
      planId: plan.id,
      projectId: project.id,
      deployId,
      templateId: template.id,
      webhookId: webhook.id,
      deliveryId: delivery.id,
      submissionId,
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

/** Everything an agency has, for comparing. */
export async function inventory({ api }: Agency): Promise<Readonly<Record<string, readonly { readonly id: string }[]>>> {
  return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await listAll(api, list)] as const)));
}

export const pathOf = (path: string, params: Readonly<Record<string, string>>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
