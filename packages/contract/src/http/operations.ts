import * as account from '../areas/account/account.ts';
import * as accountAgentAccess from '../areas/account/agent-access.ts';
import * as accountAgents from '../areas/account/agents.ts';
import * as accountAudit from '../areas/account/audit.ts';
import * as accountInvitations from '../areas/account/invitations.ts';
import * as accountKeys from '../areas/account/keys.ts';
import * as accountMembers from '../areas/account/members.ts';
import * as accountOrganization from '../areas/account/organization.ts';
import * as accountPasskeys from '../areas/account/passkeys.ts';
import * as accountPayments from '../areas/account/payments.ts';
import * as accountReportMails from '../areas/account/report-mails.ts';
import * as accountRequests from '../areas/account/requests.ts';
import * as accountRevenue from '../areas/account/revenue.ts';
import * as accountSession from '../areas/account/session.ts';
import * as accountUsage from '../areas/account/usage.ts';
import * as analytics from '../areas/analytics.ts';
import * as accountBuildLinks from '../areas/building/build-links.ts';
import * as builds from '../areas/building/builds.ts';
import * as chat from '../areas/building/chat.ts';
import * as accountCredits from '../areas/building/credits.ts';
import * as domains from '../areas/building/domains.ts';
import * as accountEmbedClients from '../areas/building/embed-clients.ts';
import * as accountEmbedSessions from '../areas/building/embed-sessions.ts';
import * as exports from '../areas/building/exports.ts';
import * as history from '../areas/building/history.ts';
import * as accountModels from '../areas/building/models.ts';
import * as pictures from '../areas/building/pictures.ts';
import * as previews from '../areas/building/previews.ts';
import * as revisions from '../areas/building/revisions.ts';
import * as texts from '../areas/building/texts.ts';
import * as clients from '../areas/clients.ts';
import * as deliveries from '../areas/deliveries.ts';
import * as deploys from '../areas/deploys.ts';
import * as docs from '../areas/docs.ts';
import * as drafts from '../areas/drafts.ts';
import * as formSettings from '../areas/forms/form-settings.ts';
import * as forms from '../areas/forms/forms.ts';
import * as orders from '../areas/orders.ts';
import * as plans from '../areas/plans.ts';
import * as projectFiles from '../areas/project-files.ts';
import * as projects from '../areas/projects.ts';
import * as subscriptions from '../areas/subscriptions.ts';
import * as templateFiles from '../areas/template-files.ts';
import * as templates from '../areas/templates.ts';
import * as visits from '../areas/visits.ts';
import * as webhooks from '../areas/webhooks.ts';
import type { Operation } from './operation.ts';

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'rpc' in value && 'path' in value;

/** Every operation under {base_url} by its name (`createProject`), which is also its OpenAPI operationId. */
export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  [
    clients,
    chat,
    projects,
    projectFiles,
    drafts,
    revisions,
    history,
    texts,
    exports,
    builds,
    domains,
    deploys,
    pictures,
    previews,
    forms,
    formSettings,
    templates,
    templateFiles,
    plans,
    orders,
    subscriptions,
    webhooks,
    deliveries,
    analytics,
    visits,
    docs,
    account,
    accountSession,
    accountPasskeys,
    accountAgents,
    accountOrganization,
    accountReportMails,
    accountPayments,
    accountRevenue,
    accountModels,
    accountKeys,
    accountBuildLinks,
    accountCredits,
    accountEmbedClients,
    accountEmbedSessions,
    accountMembers,
    accountInvitations,
    accountAgentAccess,
    accountAudit,
    accountUsage,
    accountRequests,
  ]
    .flatMap((area) => Object.entries(area))
    .filter((entry): entry is [string, Operation] => isOperation(entry[1])),
);
