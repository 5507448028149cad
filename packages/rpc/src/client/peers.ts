import type { Caller, ServiceName } from '@webkiln/messages';
import { currentTraceparent, tracing, withSpan } from '@webkiln/runtime';
import { encodeHeaders } from '../call-headers.ts';
import type { IncomingReply, MethodName, RequestOf } from '../methods.ts';
import { CallDurations } from '../metrics.ts';
import { Signer } from '../principal/credentials.ts';
import { methodsOf } from '../protos.ts';
import { OutgoingCall, type Route } from './outgoing-call.ts';
import { Peer } from './peer.ts';
import type { Transport } from './replica.ts';

export interface PeersOptions {
  /** The name of this process and its private key (PKCS #8, base64), which signs its callers' principals. */
  readonly issuer: string;
  readonly signingKey: string;
  readonly transport: Transport;
  /** "host:port" of each service to call, or several separated by commas. */
  readonly addresses: Partial<Record<ServiceName, string>>;
  /** Calls in flight to each replica; more are refused as `overloaded`. */
  readonly maxInFlight?: number;
}

interface Connected {
  readonly peers: ReadonlyMap<ServiceName, Peer>;
  readonly routes: ReadonlyMap<string, Route>;
}

export interface CallReply<M extends MethodName> {
  readonly reply: IncomingReply<M>;
  /** True if an earlier attempt at the same request stored the reply. */
  readonly replayed: boolean;
}

let connected: Connected | undefined;

/** Starts to connect to other services. Calls made before a replica is connected wait up to 2 s. */
export function connectPeers({ issuer, signingKey, transport, addresses, maxInFlight = 1024 }: PeersOptions): void {
  const signer = new Signer(issuer, signingKey);
  const peers = new Map<ServiceName, Peer>();
  const routes = new Map<string, Route>();
  for (const [name, list] of Object.entries(addresses)) {
    if (list === undefined) continue;
    const service = name as ServiceName;
    const peer = new Peer({ addresses: list, transport, maxInFlight, credentials: signer.for(service) });
    peers.set(service, peer);
    peer.connect();
    for (const method of methodsOf(service)) {
      routes.set(method.name, { method, durations: new CallDurations('client', method.name), peer });
    }
  }
  connected = { peers, routes };
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

/** Like `call`, but also returns whether the reply was replayed. */
export function callForReply<M extends MethodName>(method: M, request: RequestOf<M>, caller: Caller): Promise<CallReply<M>> {
  if (!tracing.enabled) return send<M>(method, request as object, caller, caller.traceparent);
  const parent = currentTraceparent() === undefined ? caller.traceparent : undefined;
  const attributes = { 'rpc.system': 'grpc', 'rpc.method': method };
  return withSpan(method, { kind: 'client', attributes, parent }, () => send<M>(method, request as object, caller, currentTraceparent()));
}

async function send<M extends MethodName>(
  name: M,
  request: object,
  caller: Caller,
  traceparent: string | undefined,
): Promise<CallReply<M>> {
  const route = connected?.routes.get(name);
  if (connected === undefined || route === undefined) throw new Error(`connectPeers was given no address for ${name}`);
  const outgoing = new OutgoingCall(route, caller, encodeHeaders(caller, traceparent), route.method.encodeRequest(request));
  caller.onCancel?.(() => outgoing.cancel());
  return outgoing.start() as Promise<CallReply<M>>;
}
