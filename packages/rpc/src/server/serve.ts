import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { type Around, Dispatcher } from './dispatch.ts';
import type { UseCase } from './handle.ts';
import { Health } from './health.ts';
import type { ServiceName } from './methods.ts';
import { definitionOf, methodsOf } from './protos.ts';
import { Carrier } from './serve-carrier.ts';
import { unaryHandlers } from './serve-unary.ts';
import type { Verifier } from './verifier.ts';

export interface ServeOptions {
  readonly service: ServiceName;
  /** One for each method of the service's protos. */
  readonly useCases: readonly UseCase[];
  readonly verifier: Verifier;
  /** The address to listen on. */
  readonly bind: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly around?: Around;
  /** Calls at once; more are refused as `overloaded`. */
  readonly maxInFlight?: number;
}

export interface Serving {
  readonly port: number;
  /** Tells callers to go elsewhere, answers what is in hand, and closes. */
  drain(): Promise<void>;
}

const serverOptions = {
  'grpc.max_receive_message_length': 48 * 1024 * 1024,
  // A caller that hangs, or whose host is gone, is noticed within 20 s and its calls are given up.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.enable_channelz': 0,
};
/** Less than the 10 s that a process has for its end. */
const drainWithinMs = 8000;

/** Serves a service's methods as plain unary gRPC and over the carrier, with the standard health service beside them. */
export async function serve({ service, useCases, verifier, bind, port, around, maxInFlight = 2048 }: ServeOptions): Promise<Serving> {
  const methods = methodsOf(service);
  const dispatcher = new Dispatcher({ methods, useCases, around, maxInFlight });
  const server = new Server(serverOptions);
  const health = new Health();
  server.addService(definitionOf('grpc.health.v1.Health') as ServiceDefinition, health.handlers);
  const { definition, handlers } = unaryHandlers(methods, dispatcher, verifier);
  server.addService(definition, handlers);
  const carrier = new Carrier(dispatcher, verifier);
  server.addService(definitionOf('webkiln.carrier.v1.Carrier') as ServiceDefinition, carrier.handlers);
  const bound = await listen(server, `${bind.includes(':') ? `[${bind}]` : bind}:${port}`);
  health.serving = true;
  return {
    port: bound,
    async drain() {
      health.serving = false;
      const force = setTimeout(() => server.forceShutdown(), drainWithinMs);
      await carrier.drain();
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}
