import { type handleUnaryCall, type ServiceDefinition, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Principal } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { Cancellation } from '../cancellation.ts';
import { headersIn, metadataOf } from '../metadata.ts';
import type { Verifier } from '../principal/verifier.ts';
import type { Method } from '../protos.ts';
import type { Dispatcher } from './dispatch.ts';

/** For callers that set no deadline, such as grpcurl. */
const defaultTimeoutMs = 30_000;

const identity = (bytes: Buffer) => bytes;

/** Each method as an ordinary unary RPC. Messages stay encoded here; the dispatcher has their codecs. */
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
    const principal = await principalOf(headers.principal, verifier);
    const result = await dispatcher.dispatch(name, principal, headers, call.request, cancellation);
    const trailers = metadataOf(result.metadata);
    const { buffer, byteOffset, byteLength } = result.payload;
    if (result.status === status.OK) callback(null, Buffer.from(buffer, byteOffset, byteLength), trailers);
    else callback({ code: result.status, details: result.details, metadata: trailers });
  };
}

async function principalOf(token: string | undefined, verifier: Verifier): Promise<Principal | undefined> {
  try {
    return await verifier.verify(token ?? '');
  } catch (error) {
    logger.warn({ reason: String(error) }, 'call refused: no valid principal');
    return undefined;
  }
}
