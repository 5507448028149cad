import { currentTraceparent, tracing, withSpan } from '@webkiln/runtime';
import { headersOf } from './call-headers.ts';
import type { Caller } from './caller.ts';
import { Signer } from './credentials.ts';
import type { IncomingReply, MethodName, RequestOf, ServiceName } from './methods.ts';
import { CallTimes } from './metrics.ts';
import { OutgoingCall, type Route } from './outgoing-call.ts';
import { Peer } from './peer.ts';
import { methodsOf } from './protos.ts';
import type { Transport } from './replica.ts';

export interface PeersOptions {
  /** Who this process is, and what it signs its callers' principals with (base64 of PKCS #8). */
  readonly issuer: string;
  readonly signingKey: string;
  readonly transport: Transport;
  /** "host:port" of each service that is called, or several with commas between. */
  readonly addresses: Partial<Record<ServiceName, string>>;
  /** Calls at once to each replica; more are refused as `overloaded`. */
  readonly maxInFlight?: number;
}

interface Connected {
  readonly peers: ReadonlyMap<ServiceName, Peer>;
  readonly routes: ReadonlyMap<string, Route>;
}

export interface CallReply<M extends MethodName> {
  readonly reply: IncomingReply<M>;
  /** The reply is the one of an earlier attempt at the same request. */
  readonly replayed: boolean;
}

let connected: Connected | undefined;

/** Begins to connect to other services; calls made before they are there wait a little. */
export function connectPeers({ issuer, signingKey, transport, addresses, maxInFlight = 1024 }: PeersOptions): void {
  const signer = new Signer(issuer, signingKey);
  const peers = new Map<ServiceName, Peer>();
  const routes = new Map<string, Route>();
  for (const [name, list] of Object.entries(addresses)) {
    if (list === undefined) continue;
    const service = name as ServiceName;
    const peer = new Peer({ addresses: list, transport, maxInFlight, credentials: signer.for(service) });
    peers.set(service, peer);
    for (const method of methodsOf(service)) {
      routes.set(method.name, { method, times: new CallTimes('client', method.name), send: (call) => peer.send(call) });
    }
  }
  connected = { peers, routes };
}

/** Ends all connections; calls in flight fail as `unavailable`. */
export async function closePeers(): Promise<void> {
  const peers = connected?.peers.values() ?? [];
  connected = undefined;
  for (const peer of peers) peer.close();
}

/** Whether a replica of the service can be reached now. */
export function peerState(service: ServiceName): 'ready' | 'connecting' {
  return connected?.peers.get(service)?.ready ? 'ready' : 'connecting';
}

/** Calls a method of another service and returns its reply. Throws an `AppError`: what the service threw, `unavailable` or `overloaded`. */
export async function call<M extends MethodName>(method: M, request: RequestOf<M>, caller: Caller): Promise<IncomingReply<M>> {
  return (await callForReply(method, request, caller)).reply;
}

/** As `call`, and tells whether the reply was replayed. */
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
  const outgoing = new OutgoingCall(route, caller, headersOf(caller, traceparent), route.method.encodeRequest(request));
  caller.onCancel?.(() => outgoing.cancel());
  route.send(outgoing);
  return outgoing.reply as Promise<CallReply<M>>;
}
