import * as accountAudit from './account-audit.ts';
import * as accountEmbedClients from './account-embed-clients.ts';
import * as accountKeys from './account-keys.ts';
import * as accountMembers from './account-members.ts';
import * as accountOrganization from './account-organization.ts';
import * as accountPasskeys from './account-passkeys.ts';
import * as accountRequests from './account-requests.ts';
import * as accountSession from './account-session.ts';
import * as accountUsage from './account-usage.ts';
import * as analytics from './analytics.ts';
import * as clients from './clients.ts';
import * as deliveries from './deliveries.ts';
import * as deploys from './deploys.ts';
import type { Endpoint } from './endpoint.ts';
import * as forms from './forms.ts';
import * as plans from './plans.ts';
import * as previews from './previews.ts';
import * as projects from './projects.ts';
import * as templates from './templates.ts';
import * as webhooks from './webhooks.ts';

const isEndpoint = (value: unknown): value is Endpoint => typeof value === 'object' && value !== null && 'rpc' in value && 'path' in value;

/** Every operation under {base_url} by its name (`createProject`), which is also its OpenAPI operationId. */
export const endpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  [
    clients,
    projects,
    deploys,
    previews,
    forms,
    templates,
    plans,
    webhooks,
    deliveries,
    analytics,
    accountSession,
    accountPasskeys,
    accountOrganization,
    accountKeys,
    accountEmbedClients,
    accountMembers,
    accountAudit,
    accountUsage,
    accountRequests,
  ]
    .flatMap((area) => Object.entries(area))
    .filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
);
