import { type ChannelCredentials, status } from '@grpc/grpc-js';
import {
  type AddressSetting,
  addressSetting,
  type Caller,
  type PeerOf,
  type Principal,
  type ProcessName,
  rpcPeersOf,
  type ServiceName,
} from '@webkiln/messages';
import { Address, currentTraceparent, processTls, type TlsIdentity, tracing, withSpan } from '@webkiln/runtime';
import { type IncomingReply, type Method, type MethodName, methodsOf, type RequestOf } from '../methods.ts';
import { type Credentials, Signer } from '../principal/principal.ts';
import { channelCredentials } from '../transport.ts';
import { CallDurations, encodeHeaders, failedResult } from '../wire.ts';
import { AddressResolver } from './address-resolver.ts';
import {
  type Attempt,
  type AttemptObserver,
  type AttemptSender,
  type CallRequest,
  ConnectQueue,
  OutgoingCall,
  type Route,
} from './outgoing-call.ts';
import { Replica, type Transport } from './replica.ts';

/** The settings with the addresses of the peers in the row of `process`. */
export const addressesOf = <P extends ProcessName>(process: P) =>
  Object.fromEntries(rpcPeersOf(process).map((peer) => [addressSetting(peer), Address.describe(`The gRPC address of ${peer}`)])) as {
    [S in PeerOf<P> as AddressSetting<S>]: typeof Address;
  };

type PeersConfig<P extends ProcessName> = Readonly<Record<AddressSetting<PeerOf<P>>, string>> & {
  readonly PRINCIPAL_SIGNING_KEY: string;
  readonly RPC_TRANSPORT: Transport;
};

/** Connects to the peers in the row of `process`, as its configuration says. */
export function connectPeersOf<P extends ProcessName>(process: P, config: PeersConfig<P>): void {
  const addresses: Readonly<Record<string, string>> = config;
  connectPeers({
    issuer: process,
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: Object.fromEntries(rpcPeersOf(process).map((peer) => [peer, addresses[addressSetting(peer)]])),
  });
}

export interface PeersOptions {
  /** The name of this process and its private key (PKCS #8, base64), which signs its callers' principals. */
  readonly issuer: string;
  readonly signingKey: string;
  readonly transport: Transport;
  /** "host:port" of each service to call, or several separated by commas. */
  readonly addresses: Partial<Record<ServiceName, string>>;
  /** Calls in flight to each replica; more are refused as `overloaded`. */
  readonly maxInFlight?: number;
  /** By default the identity of this process, if it has one. */
  readonly tls?: TlsIdentity;
}

interface Connected {
  readonly signer: Signer;
  readonly peers: ReadonlyMap<ServiceName, Peer>;
  readonly routes: ReadonlyMap<string, Route>;
  /** Several services serve the methods of the common areas. */
  readonly routesAt: ReadonlyMap<ServiceName, ReadonlyMap<string, Route>>;
}

export interface CallReply<M extends MethodName> {
  readonly reply: IncomingReply<M>;
  /** True if an earlier attempt at the same request stored the reply. */
  readonly replayed: boolean;
}

let connected: Connected | undefined;

/** Starts to connect to other services. Calls made before a replica is connected wait up to 2 s. */
export function connectPeers(options: PeersOptions): void {
  const { issuer, signingKey, transport, addresses, maxInFlight = 1024, tls = processTls() } = options;
  const signer = new Signer(issuer, signingKey);
  const peers = new Map<ServiceName, Peer>();
  const routesAt = new Map<ServiceName, ReadonlyMap<string, Route>>();
  for (const [name, list] of Object.entries(addresses)) {
    if (list === undefined) continue;
    const service = name as ServiceName;
    const peer = new Peer({
      addresses: list,
      transport,
      maxInFlight,
      credentials: signer.for(service),
      channelCredentials: channelCredentials(tls, service),
    });
    peers.set(service, peer);
    peer.connect();
    const toRoute = (method: Method): Route => ({ method, durations: new CallDurations('client', method.name), peer });
    routesAt.set(service, new Map(methodsOf(service).map((method) => [method.name, toRoute(method)])));
  }
  const routes = new Map([...routesAt.values()].flatMap((methods) => [...methods]));
  connected = { signer, peers, routes, routesAt };
}

/** The principal as this process signs it for the services that `forwarder` calls: it goes along in a call to it. */
export function delegationOf(principal: Principal, forwarder: ServiceName): string | Promise<string> {
  if (connected === undefined) throw new Error('connectPeers comes first');
  return connected.signer.delegation(principal, forwarder);
}

/** Closes all connections; calls in flight fail as `unavailable`. */
export async function closePeers(): Promise<void> {
  const peers = connected?.peers.values() ?? [];
  connected = undefined;
  for (const peer of peers) peer.close();
}

/** 'ready' if at least one replica of the service is connected. */
export function peerState(service: ServiceName): 'ready' | 'connecting' {
  return connected?.peers.get(service)?.isReady ? 'ready' : 'connecting';
}

/**
 * Calls a method of another service. Rejects with the `AppError` that the service threw, or with `unavailable` or
 * `overloaded`.
 */
export async function call<M extends MethodName>(method: M, request: RequestOf<M>, caller: Caller): Promise<IncomingReply<M>> {
  return (await callForReply(method, request, caller)).reply;
}

/** Like `call`, but also returns whether the reply was replayed. The request may be bytes of `encodeRequest`. */
export const callForReply = <M extends MethodName>(method: M, request: RequestOf<M> | Uint8Array, caller: Caller): Promise<CallReply<M>> =>
  traced<M>(connected?.routes.get(method), method, request as object, caller);

/**
 * Calls a method of a common area, such as `maintenance.CountUse`, at one of the services that serve it. Otherwise like
 * `call`: throws the `AppError` of the service, or `unavailable` if it does not answer.
 */
export async function callAt<M extends MethodName>(
  service: ServiceName,
  method: M,
  request: RequestOf<M>,
  caller: Caller,
): Promise<IncomingReply<M>> {
  return (await traced<M>(connected?.routesAt.get(service)?.get(method), method, request as object, caller)).reply;
}

function traced<M extends MethodName>(route: Route | undefined, method: M, request: object, caller: Caller): Promise<CallReply<M>> {
  if (!tracing.enabled) return send<M>(route, method, request, caller, caller.traceparent);
  const parent = currentTraceparent() === undefined ? caller.traceparent : undefined;
  const attributes = { 'rpc.system': 'grpc', 'rpc.method': method };
  return withSpan(method, { kind: 'client', attributes, parent }, () => send<M>(route, method, request, caller, currentTraceparent()));
}

async function send<M extends MethodName>(
  route: Route | undefined,
  name: M,
  request: object,
  caller: Caller,
  traceparent: string | undefined,
): Promise<CallReply<M>> {
  if (route === undefined) throw new Error(`connectPeers was given no address for ${name}`);
  const payload = request instanceof Uint8Array ? request : route.method.encodeRequest(request);
  const outgoing = new OutgoingCall(route, caller, encodeHeaders(caller, traceparent), payload);
  caller.onCancel?.(() => outgoing.cancel());
  return outgoing.start() as Promise<CallReply<M>>;
}

interface PeerOptions {
  /** "host:port", or several separated by commas. */
  readonly addresses: string;
  readonly transport: Transport;
  /** Calls in flight to each replica. */
  readonly maxInFlight: number;
  readonly credentials: Credentials;
  readonly channelCredentials: ChannelCredentials;
}

/** Another service with all its replicas. Owns the replicas and the calls that wait for one. */
class Peer implements AttemptSender {
  readonly #options: PeerOptions;
  readonly #resolver: AddressResolver;
  readonly #queue = new ConnectQueue();
  #replicas: readonly Replica[] = [];
  /** Rotates the replica that equally busy ones are compared from. */
  #rotation = 0;
  #isClosed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#resolver = new AddressResolver(options.addresses, (addresses) => this.#setAddresses(addresses));
  }

  /** Starts to resolve the addresses and to connect to the replicas. */
  connect(): void {
    this.#resolver.start();
  }

  get isReady(): boolean {
    return this.#replicas.some((replica) => replica.isReady);
  }

  /** Sends the attempt to the replica with the fewest calls in flight. Without a connected replica it waits for one. */
  send(request: CallRequest, observer: AttemptObserver): Attempt | undefined {
    const replica = this.#leastBusy();
    if (replica !== undefined) return replica.send(request, observer);
    if (this.#isClosed) observer.onResult(failedResult(status.UNAVAILABLE, 'this process is shutting down'));
    else if (!this.isReady && this.#queue.size < this.#options.maxInFlight) return this.#queue.add(request, observer);
    else observer.onResult(failedResult(status.RESOURCE_EXHAUSTED, 'too many calls in flight'));
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#resolver.close();
    const replicas = this.#replicas;
    this.#replicas = [];
    for (const replica of replicas) replica.close();
    this.#queue.release(this);
  }

  #leastBusy(): Replica | undefined {
    const replicas = this.#replicas;
    let found: Replica | undefined;
    this.#rotation++;
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(this.#rotation + i) % replicas.length];
      if (replica?.isReady && !replica.isFull && (found === undefined || replica.inFlight < found.inFlight)) found = replica;
    }
    return found;
  }

  #setAddresses(addresses: ReadonlySet<string>): void {
    for (const replica of this.#replicas) if (!addresses.has(replica.address)) replica.finish();
    const kept = this.#replicas.filter(({ address }) => addresses.has(address));
    const known = new Set(kept.map(({ address }) => address));
    const { addresses: _, ...shared } = this.#options;
    const options = { ...shared, onStateChange: () => this.#onStateChange() };
    this.#replicas = [...kept, ...[...addresses].filter((address) => !known.has(address)).map((address) => new Replica(address, options))];
    this.#onStateChange();
  }

  #onStateChange(): void {
    if (this.#isClosed) return;
    if (this.isReady) this.#queue.release(this);
    else this.#resolver.resolveSoon();
  }
}
