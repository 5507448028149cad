/** The records that pages of single ones are shown of. */
export interface Shown {
  readonly clientId: string;
  readonly projectId: string;
  readonly webhookId: string;
}

/** Every page of somebody who owns an organization, by name. */
export const ownersPages = ({ clientId, projectId, webhookId }: Shown): Readonly<Record<string, string>> => ({
  overview: '/',
  clients: '/clients',
  client: `/clients/${clientId}`,
  projects: '/projects',
  project: `/projects/${projectId}`,
  forms: `/projects/${projectId}/forms`,
  analytics: '/analytics',
  templates: '/templates',
  plans: '/plans',
  keys: '/keys',
  usage: '/usage',
  requests: '/requests',
  webhooks: '/webhooks',
  webhook: `/webhooks/${webhookId}`,
  embedding: '/embedding',
  members: '/members',
  organization: '/organization',
  audit: '/audit',
  account: '/account',
  'not-found': '/nowhere',
});

/** Every page of a client's user who owns the project. */
export const clientsPages = ({ projectId }: Pick<Shown, 'projectId'>): Readonly<Record<string, string>> => ({
  projects: '/projects',
  project: `/projects/${projectId}`,
  forms: `/projects/${projectId}/forms`,
  analytics: '/analytics',
  account: '/account',
});

/** Every page of those who are not signed in. */
export const strangersPages: Readonly<Record<string, string>> = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  'verify-email': '/verify-email?email=ada@example.com',
  'forgot-password': '/forgot-password',
  'reset-password': '/reset-password?token=used',
  'accept-invitation': '/accept-invitation?token=unknown',
};
