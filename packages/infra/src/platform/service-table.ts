import type { StoreUrls } from '../stores/store.ts';

/** Where services find each other: "host:port". */
export interface Addresses {
  IDENTITY_ADDRESS: string;
  CLIENTS_PLANS_ADDRESS: string;
  PROJECTS_TEMPLATES_ADDRESS: string;
  WEBHOOKS_ADDRESS: string;
  SITES_ADDRESS: string;
  ANALYTICS_ADDRESS: string;
  /** HTTP, where the others speak gRPC. */
  IDENTITY_HTTP_ADDRESS: string;
  SITES_HTTP_ADDRESS: string;
  ANALYTICS_HTTP_ADDRESS: string;
}

/** What a process may be told besides its own ports and signing key. */
export interface Surroundings extends Addresses, StoreUrls {
  ORIGIN: string;
  /** The address above all published sites. */
  SITES_ORIGIN: string;
  /** The address above all previews. */
  PREVIEW_ORIGIN: string;
  /** Where the built files of the dashboard are. */
  DASHBOARD_DIR: string;
  /** Where mails land, for people and tests to read. */
  MAIL_DIR: string;
  KEY_PEPPER: string;
  AUTH_SECRET: string;
  INVITATION_SECRET: string;
  WEBHOOK_SECRET_KEYS: string;
  PREVIEW_SECRET: string;
  PRINCIPAL_TRUSTED_KEYS: string;
}

/** A setting that says where a process listens. */
export type Listener = 'PORT' | 'GRPC_PORT' | 'HTTP_PORT';

export interface Service {
  /** Relative to the repository. */
  readonly entry: string;
  /** Where it listens, the first being what run.json shows, each with the setting by which other services find it; the gateway's is found by people. */
  readonly listens: Readonly<Partial<Record<Listener, keyof Addresses | 'ORIGIN'>>>;
  /** The settings it reads. */
  readonly needs: readonly (keyof Surroundings)[];
  /** Megabytes of young objects, where it has so much in hand at once that the usual few would be collected over and over. */
  readonly youngMb?: number;
}

export type ServiceName = 'identity' | 'clients-plans' | 'projects-templates' | 'webhooks' | 'sites' | 'analytics' | 'gateway';

const everyService = ['MONGODB_URL', 'NATS_URL', 'PRINCIPAL_TRUSTED_KEYS'] as const;

/** The platform's processes: the one list that `npm start` and the tests go by. */
export const serviceTable: Readonly<Record<ServiceName, Service>> = {
  identity: {
    entry: 'services/identity/src/main.ts',
    listens: { GRPC_PORT: 'IDENTITY_ADDRESS', HTTP_PORT: 'IDENTITY_HTTP_ADDRESS' },
    needs: [...everyService, 'KEY_PEPPER', 'AUTH_SECRET', 'ORIGIN', 'MAIL_DIR'],
  },
  'clients-plans': {
    entry: 'services/clients-plans/src/main.ts',
    listens: { GRPC_PORT: 'CLIENTS_PLANS_ADDRESS' },
    needs: [...everyService, 'INVITATION_SECRET', 'ORIGIN', 'MAIL_DIR', 'IDENTITY_ADDRESS'],
  },
  'projects-templates': {
    entry: 'services/projects-templates/src/main.ts',
    listens: { GRPC_PORT: 'PROJECTS_TEMPLATES_ADDRESS' },
    needs: [...everyService, 'ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN', 'PREVIEW_SECRET', 'CLIENTS_PLANS_ADDRESS'],
  },
  webhooks: {
    entry: 'services/webhooks/src/main.ts',
    listens: { GRPC_PORT: 'WEBHOOKS_ADDRESS' },
    needs: [...everyService, 'WEBHOOK_SECRET_KEYS', 'MAIL_DIR', 'IDENTITY_ADDRESS'],
    youngMb: 16,
  },
  sites: {
    entry: 'services/sites/src/main.ts',
    listens: { HTTP_PORT: 'SITES_HTTP_ADDRESS', GRPC_PORT: 'SITES_ADDRESS' },
    needs: [
      ...everyService,
      ...(['SITES_ORIGIN', 'PREVIEW_ORIGIN', 'MAIL_DIR'] as const),
      ...(['CLIENTS_PLANS_ADDRESS', 'PROJECTS_TEMPLATES_ADDRESS', 'IDENTITY_ADDRESS'] as const),
    ],
  },
  analytics: {
    entry: 'services/analytics/src/main.ts',
    listens: { HTTP_PORT: 'ANALYTICS_HTTP_ADDRESS', GRPC_PORT: 'ANALYTICS_ADDRESS' },
    needs: [...everyService, 'SITES_ORIGIN', 'PROJECTS_TEMPLATES_ADDRESS'],
    youngMb: 16,
  },
  gateway: {
    entry: 'gateway/src/main.ts',
    listens: { PORT: 'ORIGIN' },
    needs: [
      'NATS_URL',
      'REDIS_URL',
      'ORIGIN',
      'DASHBOARD_DIR',
      'IDENTITY_ADDRESS',
      'CLIENTS_PLANS_ADDRESS',
      'PROJECTS_TEMPLATES_ADDRESS',
      'WEBHOOKS_ADDRESS',
      'ANALYTICS_ADDRESS',
      'SITES_ADDRESS',
      'SITES_ORIGIN',
      'PREVIEW_ORIGIN',
      'IDENTITY_HTTP_ADDRESS',
      'SITES_HTTP_ADDRESS',
      'ANALYTICS_HTTP_ADDRESS',
    ],
  },
};

export const serviceNames = Object.keys(serviceTable) as ServiceName[];
