/** A port that a process listens on; `public` is the gateway's. */
export type Listener = 'grpc' | 'http' | 'public';
export type StoreName = 'mongodb' | 'nats' | 'redis';
/** Destinations outside the platform: addresses that customers or operators choose, and the mail server. */
export type Egress = 'internet' | 'mail';

/** A row of the list. */
export interface Process {
  /** The protos it serves: area `plans` is `webkiln.plans.v1.Plans`. */
  readonly areas: readonly string[];
  /** run.json shows the port of the first one, where the command line calls a service. */
  readonly listeners: readonly Listener[];
  /** The services it calls. */
  readonly peers: readonly string[];
  readonly stores: readonly StoreName[];
  /** Required settings besides those of its listeners, peers and stores. */
  readonly settings: readonly string[];
  readonly egress: readonly Egress[];
  /** The metric, in seconds, by which a process that works off a stream is behind. */
  readonly lag?: { readonly metric: string; readonly labels?: Readonly<Record<string, string>> };
  /** Megabytes of young objects, for a process whose many objects in flight would cause constant minor collections. */
  readonly youngMb?: number;
}

/**
 * One row per service. Its name is its folder below services/, its package and its issuer name. The process table,
 * address settings, peers, the gateway's proxies, trusted keys and test lists derive from it.
 */
export const services = {
  identity: {
    areas: ['identity', 'accounts'],
    listeners: ['grpc', 'http'],
    peers: [],
    stores: ['mongodb', 'nats'],
    settings: ['KEY_PEPPER', 'AUTH_SECRET', 'ORIGIN', 'MAIL_DIR'],
    egress: ['internet', 'mail'],
  },
  'clients-plans': {
    areas: ['clients', 'plans'],
    listeners: ['grpc'],
    peers: ['identity'],
    stores: ['mongodb', 'nats'],
    settings: ['INVITATION_SECRET', 'ORIGIN', 'MAIL_DIR'],
    egress: ['mail'],
  },
  'projects-templates': {
    areas: ['projects', 'templates', 'sites'],
    listeners: ['grpc'],
    peers: ['clients-plans', 'identity'],
    stores: ['mongodb', 'nats'],
    settings: ['ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN', 'PREVIEW_SECRET'],
    egress: [],
  },
  webhooks: {
    areas: ['webhooks'],
    listeners: ['grpc'],
    peers: ['identity'],
    stores: ['mongodb', 'nats'],
    settings: ['WEBHOOK_SECRET_KEYS', 'MAIL_DIR'],
    egress: ['internet', 'mail'],
    lag: { metric: 'webkiln_stream_unacknowledged_seconds', labels: { consumer: 'webhooks-dispatch' } },
    youngMb: 16,
  },
  sites: {
    areas: ['forms'],
    listeners: ['grpc', 'http'],
    peers: ['projects-templates', 'clients-plans', 'identity'],
    stores: ['mongodb', 'nats'],
    settings: ['ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN', 'MAIL_DIR'],
    egress: ['mail'],
  },
  analytics: {
    areas: ['analytics'],
    listeners: ['grpc', 'http'],
    peers: ['projects-templates', 'identity'],
    stores: ['mongodb', 'nats'],
    settings: ['SITES_ORIGIN'],
    egress: [],
    lag: { metric: 'webkiln_views_behind_seconds' },
    youngMb: 16,
  },
  embed: {
    areas: ['embed', 'models', 'credits'],
    listeners: ['grpc'],
    peers: ['projects-templates', 'clients-plans', 'identity'],
    stores: ['mongodb', 'nats'],
    settings: ['ORIGIN'],
    egress: ['internet'],
  },
  mcp: {
    areas: ['mcp'],
    listeners: ['grpc'],
    peers: ['projects-templates', 'clients-plans', 'analytics', 'identity'],
    stores: [],
    settings: ['ORIGIN'],
    egress: [],
    youngMb: 16,
  },
} as const satisfies Readonly<Record<string, Process>>;

/** The protos that every service with a database serves, for what it keeps itself. */
export const commonAreas = ['maintenance'] as const;

export type ServiceName = keyof typeof services;
export type Area = (typeof services)[ServiceName]['areas'][number];
type ServiceWith<L extends Listener> = {
  [S in ServiceName]: L extends (typeof services)[S]['listeners'][number] ? S : never;
}[ServiceName];
/** The services that are called over gRPC. */
export type RpcServiceName = ServiceWith<'grpc'>;
/** The services that keep data of organizations. */
export type DataServiceName = {
  [S in ServiceName]: 'mongodb' extends (typeof services)[S]['stores'][number] ? S : never;
}[ServiceName];
/** The services that the gateway proxies HTTP to. */
export type HttpServiceName = ServiceWith<'http'>;

export const serviceNames = Object.keys(services) as ServiceName[];
const servicesWith = (listener: Listener) =>
  serviceNames.filter((name) => (services[name].listeners as readonly Listener[]).includes(listener));
export const rpcServiceNames = servicesWith('grpc') as RpcServiceName[];
export const httpServiceNames = servicesWith('http') as HttpServiceName[];
export const dataServiceNames = serviceNames.filter((name): name is DataServiceName =>
  (services[name].stores as readonly StoreName[]).includes('mongodb'),
);
