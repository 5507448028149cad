import type { MoreTool } from './agent-tools.ts';

const webhookId = { webhook_id: 'The id of the webhook, from list_webhooks' };
const ofPlan = {
  name: 'The name of the plan, as clients see it',
  description: 'What the plan offers, in a sentence or two',
  price: "What an interval costs, in major units of the agency's currency, as the user said: 29.5 is 29.50",
  interval: 'How often the price is charged: monthly or yearly',
  max_sites: 'How many projects a client on it may own',
  max_ai_messages_daily: "How many messages a client's users may send to the builder on one day",
  can_export_code: 'True if its clients may download the files of their projects',
  can_use_custom_domain: 'True if its clients may connect domains of their own',
};
const ofWebhook = {
  url: 'An https address on the public internet, on port 443 or 8443, which the user named',
  events: 'The names of the events to send, such as form.submitted',
};

/** The tools about plans and webhooks, by name. */
export const businessTools = {
  create_plan: {
    set: 'plans',
    operation: 'createPlan',
    title: 'Create a plan',
    description:
      'Use it to add a plan that clients are offered, once the user has said what it costs. Next: create_client with its id as plan_id.',
    done: 'Created the plan {plan.name} with the id {plan.id}.',
    arguments: ofPlan,
  },
  update_plan: {
    set: 'plans',
    operation: 'updatePlan',
    title: 'Change a plan',
    tellsOfStrangers: true,
    description: 'Use it to change a plan: only the fields that you name. Subscriptions keep their price until they renew.',
    done: 'Changed the plan {plan.name}. Fields that you did not name are as before.',
    isDestructive: true,
    arguments: {
      plan_id: 'The id of the plan, from list_plans',
      ...ofPlan,
      is_default: 'True if people who join by a build link get it',
      is_active: 'False to offer it no longer; clients who are on it stay',
      sort_order: 'Its place in lists, the smallest first',
    },
  },
  list_webhooks: {
    set: 'webhooks',
    operation: 'listWebhooks',
    title: 'List webhooks',
    tellsOfStrangers: true,
    description: 'Use it to see which addresses are sent which events. Next: update_webhook or delete_webhook with the id of one.',
  },
  create_webhook: {
    set: 'webhooks',
    operation: 'createWebhook',
    title: 'Create a webhook',
    description:
      'Use it to have events sent to an address that the user named. It goes on after this connection has ended. The secret that signs deliveries is not shown to agents: a person gets one by rotating it in the dashboard.',
    done: 'Created the webhook {webhook.id} for {webhook.url}. A person gets its signing secret by rotating it in the dashboard.',
    hides: ['secret'],
    arguments: ofWebhook,
  },
  update_webhook: {
    set: 'webhooks',
    operation: 'updateWebhook',
    title: 'Change a webhook',
    description: 'Use it to change the address or the events of a webhook, or to pause it: only the fields that you name.',
    done: 'Changed the webhook {webhook.id}.',
    isDestructive: true,
    arguments: { ...webhookId, ...ofWebhook, is_active: 'False to pause it, true to switch it on again' },
  },
  delete_webhook: {
    set: 'webhooks',
    operation: 'deleteWebhook',
    title: 'Delete a webhook',
    description: 'Use it to delete a webhook for good, with what waits to be sent to it. To pause it use update_webhook.',
    done: 'Deleted the webhook {id}.',
    isDestructive: true,
    arguments: webhookId,
  },
} as const satisfies Readonly<Record<string, MoreTool>>;
