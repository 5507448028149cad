/**
 * The parts of the export of an organization: a list of records each (`<kind>.json`), and `files`. A collection says in
 * which one its records are, where it is defined.
 */
export const exportKinds = [
  'members',
  'invitations',
  'keys',
  'embed-clients',
  'clients',
  'plans',
  'subscriptions',
  'orders',
  'billing-details',
  'payment-settings',
  'projects',
  'templates',
  'deploys',
  'form-settings',
  'form-submissions',
  'analytics',
  'domains',
  'chat',
  'credits',
  'build-links',
  'webhooks',
  'audit-log',
  'agent-sessions',
  'files',
] as const;

export type ExportKind = (typeof exportKinds)[number];
