/** The records that the detail pages show. */
export interface ShownRecords {
  readonly clientId: string;
  readonly projectId: string;
  readonly webhookId: string;
}

/** Every page of an organization's owner, by name. */
export const ownerPages = ({ clientId, projectId, webhookId }: ShownRecords): Readonly<Record<string, string>> => ({
  overview: '/',
  clients: '/clients',
  client: `/clients/${clientId}`,
  projects: '/projects',
  project: `/projects/${projectId}`,
  forms: `/projects/${projectId}/forms`,
  analytics: '/analytics',
  templates: '/templates',
  plans: '/plans',
  orders: '/orders',
  revenue: '/revenue',
  keys: '/keys',
  usage: '/usage',
  requests: '/requests',
  webhooks: '/webhooks',
  webhook: `/webhooks/${webhookId}`,
  agents: '/agents',
  embedding: '/embedding',
  members: '/members',
  organization: '/organization',
  payments: '/payments',
  limits: '/limits',
  audit: '/audit',
  account: '/account',
  build: '/build?prompt=A+bakery',
  'not-found': '/nowhere',
});

/** Every page of a client that owns the project. */
export const clientPages = ({ projectId }: Pick<ShownRecords, 'projectId'>): Readonly<Record<string, string>> => ({
  portal: '/',
  projects: '/projects',
  project: `/projects/${projectId}`,
  forms: `/projects/${projectId}/forms`,
  analytics: '/analytics',
  billing: '/billing',
  account: '/account',
});

/** Every page before sign-in. */
export const signedOutPages: Readonly<Record<string, string>> = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  'verify-email': '/verify-email?email=ada@example.com',
  'confirm-email': '/confirm-email?token=unknown',
  'forgot-password': '/forgot-password',
  'reset-password': '/reset-password?token=used',
  'accept-invitation': '/accept-invitation?token=unknown',
  build: '/build?prompt=A+bakery',
};
