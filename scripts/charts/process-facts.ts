import {
  addressSetting,
  httpAddressSetting,
  httpServiceNames,
  issuers,
  type Listener,
  type ProcessName,
  processes,
  rpcPeersOf,
  type ServiceName,
  serviceNames,
} from '../../packages/messages/src/index.ts';

export const processNames = Object.keys(processes) as ProcessName[];
const settingOf = { grpc: 'GRPC_PORT', http: 'HTTP_PORT', public: 'PORT' } as const satisfies Record<Listener, string>;
export const portOf = { grpc: 9000, http: 8081, public: 8080 } as const satisfies Record<Listener, number>;
const internalPort = 9090;

const hasListener = (name: ProcessName, listener: Listener) => (processes[name].listeners as readonly Listener[]).includes(listener);
const proxied = (name: ProcessName): readonly ServiceName[] => (name === 'gateway' ? httpServiceNames : []);

/** The ports of each peer that a process calls. */
function peersOf(name: ProcessName): Record<string, number[]> {
  const rpc: readonly ServiceName[] = rpcPeersOf(name);
  const ports = (peer: ServiceName) => [
    ...(rpc.includes(peer) ? [portOf.grpc] : []),
    ...(proxied(name).includes(peer) ? [portOf.http] : []),
  ];
  return Object.fromEntries(serviceNames.map((peer) => [peer, ports(peer)] as const).filter(([, list]) => list.length > 0));
}

/** Who calls each port of a process; `operator` is the label of pods that run the command line. */
function callersOf(name: ProcessName): Partial<Record<Listener | 'internal', string[]>> {
  const service = name as ServiceName;
  const rpc = issuers.filter((issuer) => issuer === 'operator' || (rpcPeersOf(issuer) as readonly ServiceName[]).includes(service));
  return {
    ...(hasListener(name, 'grpc') && { grpc: rpc }),
    ...(hasListener(name, 'http') && { http: processNames.filter((caller) => proxied(caller).includes(service)) }),
    // `webkiln status` asks there.
    internal: ['operator'],
  };
}

/** What the library chart must know of a process, all of it from its row in services.ts. */
export function factsOf(name: ProcessName) {
  const row = processes[name];
  const listeners: readonly Listener[] = row.listeners;
  return {
    name,
    ports: { ...Object.fromEntries(listeners.map((listener) => [listener, portOf[listener]])), internal: internalPort },
    callers: callersOf(name),
    peers: peersOf(name),
    stores: row.stores,
    egress: row.egress,
    ...('lag' in row && { lag: row.lag }),
    migrates: (row.stores as readonly string[]).includes('mongodb'),
    folders: { tmp: '/tmp', ...(name === 'gateway' && { uploads: '/uploads' }) },
    env: {
      ...Object.fromEntries(listeners.map((listener) => [settingOf[listener], String(portOf[listener])])),
      INTERNAL_PORT: String(internalPort),
      ...Object.fromEntries(rpcPeersOf(name).map((peer) => [addressSetting(peer), `${peer}:${portOf.grpc}`])),
      ...Object.fromEntries(
        proxied(name).map((peer) => [httpAddressSetting(peer as (typeof httpServiceNames)[number]), `${peer}:${portOf.http}`]),
      ),
      ...(name === 'gateway' && { UPLOADS_DIR: '/uploads' }),
    },
  };
}

export type ProcessFacts = ReturnType<typeof factsOf>;
