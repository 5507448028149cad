import * as z from 'zod';
import { Client } from './areas/clients.ts';
import { SubmittedForm } from './areas/forms/forms.ts';
import { Order } from './areas/orders.ts';
import { Project } from './areas/projects.ts';
import { oneOf } from './fields/fields.ts';
import { type SampleContext, sampleClient, sampleId, sampleOf, sampleProject, samplePublishedProject } from './sample-records.ts';

/** A public event: when it is raised (for the docs), the schema of its `data`, and a sample for receivers to try. */
interface PublicEvent<Data extends z.ZodObject> {
  readonly when: string;
  readonly data: Data;
  readonly sample: (context: SampleContext) => z.output<Data>;
}

const publicEvent = <Data extends z.ZodObject>(event: PublicEvent<Data>) => event;

/**
 * The events that webhooks can subscribe to. `data` holds the fields that the REST API shows of the same records.
 * Subscriptions, test events, the dashboard's choice and the table in docs/webhooks.md derive from these rows.
 */
export const publicEvents = {
  'client.created': publicEvent({
    when: 'a client was created, in any way',
    data: z.object({ client: Client }),
    sample: (context) => ({ client: sampleClient(context) }),
  }),
  'client.updated': publicEvent({
    when: 'at least one field changed, by anyone',
    data: z.object({ client: Client, previous: Client.partial().describe('the fields that changed, as they were') }),
    sample: (context) => ({ client: sampleClient(context), previous: { status: 'invited' as const } }),
  }),
  'project.created': publicEvent({
    when: 'a project was created',
    data: z.object({ project: Project }),
    sample: (context) => ({ project: sampleProject(context) }),
  }),
  'project.published': publicEvent({
    when: 'a project was published, even if nothing changed; not for a rollback',
    data: z.object({ project: Project }),
    sample: (context) => ({ project: samplePublishedProject(context) }),
  }),
  'payment.received': publicEvent({
    when: 'a charge was paid, once per charge; for webhooks of owners and admins',
    data: z.object({ order: Order, client: Client }),
    sample: (context) => ({
      order: sampleOf(Order, {
        id: sampleId(4),
        client_id: sampleId(1),
        plan_id: sampleId(5),
        amount: 29,
        currency: 'USD',
        status: 'paid',
        provider: 'manual',
        period_start: context.at,
        period_end: context.at,
        paid_at: context.at,
        created_at: context.at,
      }),
      client: sampleClient(context),
    }),
  }),
  'form.submitted': publicEvent({
    when: 'a visitor sent a form that is not spam',
    data: z.object({ form: SubmittedForm, project: Project }),
    sample: (context) => ({
      form: sampleOf(SubmittedForm, {
        id: sampleId(6),
        name: 'contact',
        page: '/',
        fields: { name: 'Ada Byron', message: 'Hello' },
        submitted_at: context.at,
      }),
      project: samplePublishedProject(context),
    }),
  }),
};
export type WebhookEvent = keyof typeof publicEvents;

export const webhookEvents = Object.keys(publicEvents) as [WebhookEvent, ...WebhookEvent[]];

export const WebhookEventType = oneOf(webhookEvents).meta({
  id: 'WebhookEventType',
  description: 'What happened. The section Webhooks has the body of each',
});

export type PublicEvents = { [E in WebhookEvent]: z.output<(typeof publicEvents)[E]['data']> };
