import type { ExportKind } from '@webkiln/messages';
import { everyRecord } from './pages.ts';
import { type Asker, everyClient, everyProject, everyTemplate, ofEach } from './projects.ts';

const analyticsDays = 365;

type RecordKind = Exclude<ExportKind, 'files'>;

/** The records of an organization, by their file in the archive. None has a secret or a hash of one. */
export const recordsOf = (ask: Asker): Readonly<Record<RecordKind, () => AsyncIterable<unknown>>> => ({
  members: async function* () {
    yield* (await ask('identity.ListMembers', {})).members;
  },
  invitations: async function* () {
    yield* (await ask('accounts.ListInvitations', {})).invitations;
  },
  keys: async function* () {
    yield* (await ask('accounts.ListKeys', {})).keys;
  },
  'embed-clients': () =>
    everyRecord(async (page) => {
      const { embed_clients, next_cursor } = await ask('accounts.ListEmbedClients', page);
      return { records: embed_clients, next: next_cursor };
    }),
  clients: () => everyClient(ask),
  plans: () =>
    everyRecord(async (page) => {
      const { plans, next_cursor } = await ask('plans.ListPlans', page);
      return { records: plans, next: next_cursor };
    }),
  subscriptions: () =>
    everyRecord(async (page) => {
      const { subscriptions, next_cursor } = await ask('billing.ListSubscriptions', page);
      return { records: subscriptions, next: next_cursor };
    }),
  orders: () =>
    everyRecord(async (page) => {
      const { orders, next_cursor } = await ask('billing.ListOrders', page);
      return { records: orders, next: next_cursor };
    }),
  'billing-details': () =>
    ofEach(everyClient(ask), async function* (client_id) {
      yield { client_id, ...(await ask('billing.GetBillingDetails', { client_id })).billing_details };
    }),
  'payment-settings': async function* () {
    yield (await ask('billing.GetPaymentSettings', {})).payment_settings;
  },
  projects: () => everyProject(ask),
  templates: () => everyTemplate(ask),
  deploys: () =>
    ofEach(everyProject(ask), async function* (project_id) {
      const { deploys } = await ask('projects.ListDeploys', { project_id, offset: 0 });
      for (const deploy of deploys) {
        const { files } = await ask('projects.ListDeployFiles', { project_id, deploy_id: deploy.id });
        yield { project_id, ...deploy, files };
      }
    }),
  'form-settings': () =>
    ofEach(everyProject(ask), async function* (project_id) {
      yield { project_id, ...(await ask('forms.GetFormSettings', { project_id })).settings };
    }),
  'form-submissions': () =>
    ofEach(everyProject(ask), async function* (project_id) {
      for (const spam of ['false', 'true']) {
        yield* everyRecord(async (page) => {
          const { submissions, next_cursor } = await ask('forms.ListSubmissions', { project_id, spam, ...page });
          return { records: submissions.map((submission) => ({ project_id, ...submission })), next: next_cursor };
        });
      }
    }),
  analytics: () =>
    ofEach(everyProject(ask), async function* (project_id) {
      const { analytics } = await ask('analytics.GetAnalytics', { project_id, days: analyticsDays, include: 'bots' });
      yield { project_id, ...analytics };
    }),
  domains: () =>
    ofEach(everyProject(ask), async function* (project_id) {
      for (const domain of (await ask('projects.ListDomains', { project_id })).domains) yield { project_id, ...domain };
    }),
  chat: () =>
    ofEach(everyProject(ask), async function* (project_id) {
      for (const message of (await ask('embed.ListChatMessages', { project_id })).messages) yield { project_id, ...message };
    }),
  credits: () =>
    everyRecord(async (page) => {
      const { entries, next_cursor } = await ask('credits.GetCredits', page);
      return { records: entries, next: next_cursor };
    }),
  'build-links': () =>
    everyRecord(async (page) => {
      const { build_links, next_cursor } = await ask('embed.ListBuildLinks', page);
      return { records: build_links, next: next_cursor };
    }),
  webhooks: () =>
    everyRecord(async (page) => {
      const { webhooks, next_cursor } = await ask('webhooks.ListWebhooks', page);
      return { records: webhooks, next: next_cursor };
    }),
  'agent-sessions': async function* () {
    yield* (await ask('accounts.ListAgentSessions', {})).sessions;
  },
  'audit-log': () =>
    everyRecord(async (page) => {
      const { entries, next_cursor } = await ask('accounts.ListAudit', page);
      return { records: entries, next: next_cursor };
    }),
});
