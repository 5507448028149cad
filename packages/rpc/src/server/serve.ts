import { type handleUnaryCall, Server, type ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { callersOf, type Interceptor, type ServiceName } from '@webkiln/messages';
import { processTls, type TlsIdentity } from '@webkiln/runtime';
import { serverOptions } from '../grpc-options.ts';
import type { Verifier } from '../principal/verifier.ts';
import { definitionOf, methodsOf } from '../protos.ts';
import { MuxService } from '../stream/mux-service.ts';
import { defaultUnprovenLimits, type UnprovenLimits } from '../stream/unproven-streams.ts';
import { onlyCallers, serverCredentials } from '../tls.ts';
import { Dispatcher } from './dispatch.ts';
import type { UseCase } from './handle.ts';
import { unaryHandlers } from './unary-handlers.ts';

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
