import { type handleUnaryCall, type ServiceDefinition, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { logger } from '@webkiln/runtime';
import type { Principal } from './caller.ts';
import type { Dispatcher } from './dispatch.ts';
import { Waiting } from './incoming.ts';
import { headersIn, metadataOf } from './plain-metadata.ts';
import type { Method } from './protos.ts';
import type { Verifier } from './verifier.ts';

/** For callers that name no deadline, such as grpcurl. */
const defaultTimeoutMs = 30_000;

const asIs = (bytes: Buffer) => bytes;

/** Each method as an ordinary unary RPC; messages stay bytes here, for the dispatcher knows their codecs. */
export function unaryHandlers(
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
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    };
    handlers[name] = unaryHandler(name, dispatcher, verifier);
  }
  return { definition, handlers };
}

function unaryHandler(name: string, dispatcher: Dispatcher, verifier: Verifier): handleUnaryCall<Buffer, Buffer> {
  return async (call, callback) => {
    const deadlineAt = Number(call.getDeadline());
    const waiting = new Waiting(Number.isFinite(deadlineAt) ? deadlineAt : Date.now() + defaultTimeoutMs);
    call.on('cancelled', () => waiting.cancel());
    const headers = headersIn(call.metadata);
    const principal = await principalOf(headers.principal, verifier);
    const outcome = await dispatcher.dispatch(name, principal, headers, call.request, waiting);
    const trailers = metadataOf(outcome.metadata);
    const { buffer, byteOffset, byteLength } = outcome.payload;
    if (outcome.status === status.OK) callback(null, Buffer.from(buffer, byteOffset, byteLength), trailers);
    else callback({ code: outcome.status, details: outcome.details, metadata: trailers });
  };
}

async function principalOf(token: string | undefined, verifier: Verifier): Promise<Principal | undefined> {
  try {
    return await verifier.verify(token ?? '');
  } catch (error) {
    logger.warn({ reason: String(error) }, 'a call without a valid principal was refused');
    return undefined;
  }
}
