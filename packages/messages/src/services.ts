/** A port that a process listens on; `public` is the gateway's. */
export type Listener = 'grpc' | 'http' | 'public';
export type StoreName = 'mongodb' | 'nats' | 'redis';
/** Destinations outside the platform: addresses that customers or operators choose, and the mail server. */
type Egress = 'internet' | 'mail';

/** A row of the list. */
interface Process {
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
    youngMb: 16,
  },
  'clients-plans': {
    areas: ['clients', 'plans', 'billing'],
    listeners: ['grpc'],
    peers: ['identity'],
    stores: ['mongodb', 'nats'],
    settings: ['INVITATION_SECRET', 'ORIGIN', 'MAIL_DIR'],
    egress: ['internet', 'mail'],
    youngMb: 16,
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
    areas: ['forms', 'documents'],
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
    peers: ['projects-templates', 'clients-plans', 'webhooks', 'sites', 'analytics', 'embed', 'identity'],
    stores: [],
    settings: ['ORIGIN', 'DOCS_DIR'],
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

/** Every process of the platform: the services, and the gateway, which calls all of them. */
export const processes = {
  ...services,
  gateway: {
    areas: [],
    listeners: ['public'],
    peers: serviceNames,
    stores: ['nats', 'redis'],
    settings: ['ORIGIN', 'DASHBOARD_DIR', 'DOCS_DIR', 'SITES_ORIGIN', 'PREVIEW_ORIGIN'],
    egress: [],
    youngMb: 16,
  },
} as const satisfies Readonly<Record<string, Process & { readonly peers: readonly ServiceName[] }>>;

export type ProcessName = keyof typeof processes;
/** The services that a process calls over gRPC. */
export type PeerOf<P extends ProcessName> = Extract<(typeof processes)[P]['peers'][number], RpcServiceName>;
export const rpcPeersOf = <P extends ProcessName>(process: P): PeerOf<P>[] =>
  rpcServiceNames.filter((name): name is PeerOf<P> => (processes[process].peers as readonly ServiceName[]).includes(name));
/** The settings of all rows. */
export type ProcessSetting = (typeof processes)[ProcessName]['settings'][number];

type Constant<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${Constant<Rest>}`
  : Uppercase<Name>;
/** The setting that holds "host:port" of a service's gRPC listener: `CLIENTS_PLANS_ADDRESS`. */
export type AddressSetting<S extends RpcServiceName = RpcServiceName> = `${Constant<S>}_ADDRESS`;
/** The setting that holds "host:port" of a service's HTTP listener: `SITES_HTTP_ADDRESS`. */
export type HttpAddressSetting<S extends HttpServiceName = HttpServiceName> = `${Constant<S>}_HTTP_ADDRESS`;

const constant = (name: string) => name.toUpperCase().replaceAll('-', '_');
export const addressSetting = <S extends RpcServiceName>(service: S) => `${constant(service)}_ADDRESS` as AddressSetting<S>;
export const httpAddressSetting = <S extends HttpServiceName>(service: S) => `${constant(service)}_HTTP_ADDRESS` as HttpAddressSetting<S>;

/** Methods outside the public API whose reply shows a secret. API operations set `showsSecret` in the contract. */
export const internalMethodsWithSecret: readonly string[] = [
  'identity.CreateKey',
  'identity.RotateKey',
  'identity.GetMailConsent',
  'identity.GetReportConsent',
];
