import { type Process, type RpcServiceName, rpcServiceNames, type ServiceName, serviceNames, services } from './services.ts';

/** Every process of the platform: the services, and the gateway, which calls all of them. */
export const processes = {
  ...services,
  gateway: {
    areas: [],
    listeners: ['public'],
    peers: serviceNames,
    stores: ['nats', 'redis'],
    settings: ['ORIGIN', 'DASHBOARD_DIR', 'SITES_ORIGIN', 'PREVIEW_ORIGIN'],
    egress: [],
  },
} as const satisfies Readonly<Record<string, Process & { readonly peers: readonly ServiceName[] }>>;

export type ProcessName = keyof typeof processes;
/** The services that a process calls over gRPC. */
export type PeerOf<P extends ProcessName> = Extract<(typeof processes)[P]['peers'][number], RpcServiceName>;
export const rpcPeersOf = <P extends ProcessName>(process: P): PeerOf<P>[] =>
  rpcServiceNames.filter((name): name is PeerOf<P> => (processes[process].peers as readonly ServiceName[]).includes(name));
/** The settings of all rows. */
export type ProcessSetting = (typeof processes)[ProcessName]['settings'][number];
