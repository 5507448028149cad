import type { StoreUrls } from '../stores/store.ts';

/** Where services find each other: "host:port". */
export interface Addresses {
  IDENTITY_ADDRESS: string;
  CLIENTS_PLANS_ADDRESS: string;
  PROJECTS_TEMPLATES_ADDRESS: string;
  WEBHOOKS_ADDRESS: string;
  /** HTTP, where the others speak gRPC. */
  SITES_ADDRESS: string;
}

/** What a process may be told besides its own ports and signing key. */
export interface Surroundings extends Addresses, StoreUrls {
  ORIGIN: string;
  /** The address above all published sites. */
  SITES_ORIGIN: string;
  /** Where mails land, for people and tests to read. */
  MAIL_DIR: string;
  KEY_PEPPER: string;
  INVITATION_SECRET: string;
  WEBHOOK_SECRET_KEYS: string;
  PRINCIPAL_TRUSTED_KEYS: string;
}

export interface Service {
  /** Relative to the repository. */
  readonly entry: string;
  /** The setting that says where it listens. */
  readonly port: 'PORT' | 'GRPC_PORT' | 'HTTP_PORT';
  /** The settings it reads. */
  readonly needs: readonly (keyof Surroundings)[];
  /** The setting by which other services find it. */
  readonly address?: keyof Addresses;
  /** Megabytes of young objects, where it has so much in hand at once that the usual few would be collected over and over. */
  readonly youngMb?: number;
}

export type ServiceName = 'identity' | 'clients-plans' | 'projects-templates' | 'webhooks' | 'sites' | 'gateway';

const everyService = ['MONGODB_URL', 'NATS_URL', 'PRINCIPAL_TRUSTED_KEYS'] as const;

/** The platform's processes: the one list that `npm start` and the tests go by. */
export const serviceTable: Readonly<Record<ServiceName, Service>> = {
  identity: {
    entry: 'services/identity/src/main.ts',
    port: 'GRPC_PORT',
    needs: [...everyService, 'KEY_PEPPER'],
    address: 'IDENTITY_ADDRESS',
  },
  'clients-plans': {
    entry: 'services/clients-plans/src/main.ts',
    port: 'GRPC_PORT',
    needs: [...everyService, 'INVITATION_SECRET', 'ORIGIN', 'MAIL_DIR', 'IDENTITY_ADDRESS'],
    address: 'CLIENTS_PLANS_ADDRESS',
  },
  'projects-templates': {
    entry: 'services/projects-templates/src/main.ts',
    port: 'GRPC_PORT',
    needs: [...everyService, 'ORIGIN', 'SITES_ORIGIN', 'CLIENTS_PLANS_ADDRESS'],
    address: 'PROJECTS_TEMPLATES_ADDRESS',
  },
  webhooks: {
    entry: 'services/webhooks/src/main.ts',
    port: 'GRPC_PORT',
    needs: [...everyService, 'WEBHOOK_SECRET_KEYS', 'MAIL_DIR', 'IDENTITY_ADDRESS'],
    address: 'WEBHOOKS_ADDRESS',
    youngMb: 16,
  },
  sites: {
    entry: 'services/sites/src/main.ts',
    port: 'HTTP_PORT',
    needs: ['NATS_URL', 'SITES_ORIGIN', 'PROJECTS_TEMPLATES_ADDRESS'],
    address: 'SITES_ADDRESS',
  },
  gateway: {
    entry: 'gateway/src/main.ts',
    port: 'PORT',
    needs: [
      'NATS_URL',
      'REDIS_URL',
      'ORIGIN',
      'IDENTITY_ADDRESS',
      'CLIENTS_PLANS_ADDRESS',
      'PROJECTS_TEMPLATES_ADDRESS',
      'WEBHOOKS_ADDRESS',
      'SITES_ORIGIN',
      'SITES_ADDRESS',
    ],
  },
};

export const serviceNames = Object.keys(serviceTable) as ServiceName[];
