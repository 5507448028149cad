import {
  type handleUnaryCall,
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { callersOf, type Interceptor, type Principal, type ServiceName } from '@webkiln/messages';
import { logger, processTls, type TlsIdentity } from '@webkiln/runtime';
import { definitionOf, type Method, methodsOf } from '../methods.ts';
import type { Verifier } from '../principal/principal.ts';
import { defaultUnprovenLimits, MuxService, type UnprovenLimits } from '../stream/mux-server.ts';
import { headersIn, metadataOf, onlyCallers, serverCredentials, serverOptions } from '../transport.ts';
import { Cancellation, type Headers } from '../wire.ts';
import { Dispatcher, type UseCase } from './dispatch.ts';

export interface ServeOptions {
  readonly service: ServiceName;
  /** Exactly one for each method of the service's protos. */
  readonly useCases: readonly UseCase[];
  readonly verifier: Verifier;
  /** The IP address to listen on. */
  readonly bind: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly interceptor?: Interceptor;
  /** Calls in flight; more are refused as `overloaded`. */
  readonly maxInFlight?: number;
  readonly unproven?: UnprovenLimits;
  /** By default the identity of this process, if it has one. */
  readonly tls?: TlsIdentity;
}

export interface Serving {
  readonly port: number;
  /** Sends callers to other replicas, answers the calls in flight, and closes. */
  drain(): Promise<void>;
}

/** Less than the 10 s that a process has to shut down. */
const drainTimeoutMs = 8000;

/** Serves a service's methods over multiplexed streams and as plain unary gRPC, and the standard health service. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { service, useCases, verifier, bind, port, interceptor, tls = processTls() } = options;
  const { maxInFlight = 2048, unproven = defaultUnprovenLimits } = options;
  const methods = methodsOf(service);
  const dispatcher = new Dispatcher({ methods, useCases, interceptor, maxInFlight });
  const server = new Server({ ...serverOptions, ...(tls && { interceptors: [onlyCallers(callersOf(service))] }) });
  let isServing = false;
  server.addService(definitionOf('grpc.health.v1.Health') as ServiceDefinition, { Check: healthCheck(() => isServing) });
  const { definition, handlers } = unaryHandlers(methods, dispatcher, verifier);
  server.addService(definition, handlers);
  const muxService = new MuxService(dispatcher, verifier, unproven);
  server.addService(definitionOf('webkiln.carrier.v1.Carrier') as ServiceDefinition, muxService.handlers);
  const bound = await listen(server, `${bind.includes(':') ? `[${bind}]` : bind}:${port}`, serverCredentials(tls));
  isServing = true;
  return {
    port: bound,
    async drain() {
      isServing = false;
      const force = setTimeout(() => server.forceShutdown(), drainTimeoutMs);
      await muxService.drain();
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

/** grpc.health.v1 for probes, without a principal. Only the process as a whole has a status. */
function healthCheck(isServing: () => boolean): handleUnaryCall<{ service: string }, { status: string }> {
  return ({ request }, callback) => {
    if (request.service !== '') callback({ code: status.NOT_FOUND, details: 'ask for the empty service name' });
    else callback(null, { status: isServing() ? 'SERVING' : 'NOT_SERVING' });
  };
}

function listen(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

/** For callers that set no deadline, such as grpcurl. */
const defaultTimeoutMs = 30_000;

const identity = (bytes: Buffer) => bytes;

/** Each method as an ordinary unary RPC. Messages stay encoded here; the dispatcher has their codecs. */
function unaryHandlers(
  methods: readonly Method[],
  dispatcher: Dispatcher,
  verifier: Verifier,
): { definition: ServiceDefinition; handlers: UntypedServiceImplementation } {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: Record<string, handleUnaryCall<Buffer, Buffer>> = {};
  for (const { name, path } of methods) {
    definition[name] = {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    };
    handlers[name] = unaryHandler(name, dispatcher, verifier);
  }
  return { definition, handlers };
}

function unaryHandler(name: string, dispatcher: Dispatcher, verifier: Verifier): handleUnaryCall<Buffer, Buffer> {
  return async (call, callback) => {
    const deadlineAt = Number(call.getDeadline());
    const cancellation = new Cancellation(Number.isFinite(deadlineAt) ? deadlineAt : Date.now() + defaultTimeoutMs);
    call.on('cancelled', () => cancellation.cancel());
    const headers = headersIn(call.metadata);
    const principal = await principalOf(headers, verifier);
    const result = await dispatcher.dispatch(name, principal, headers, call.request, cancellation);
    const trailers = metadataOf(result.metadata);
    const { buffer, byteOffset, byteLength } = result.payload;
    if (result.status === status.OK) callback(null, Buffer.from(buffer, byteOffset, byteLength), trailers);
    else callback({ code: result.status, details: result.details, metadata: trailers });
  };
}

async function principalOf({ principal = '', delegation }: Headers, verifier: Verifier): Promise<Principal | undefined> {
  try {
    return await verifier.verify(principal, delegation);
  } catch (error) {
    logger.warn({ reason: String(error) }, 'call refused: no valid principal');
    return undefined;
  }
}
