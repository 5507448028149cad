import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { createSerializer, hasCursor, operations, type Serializer } from '@webkiln/contract';
import { commonAreas, dataServiceNames, rpcServiceNames, type ServiceName, services } from '@webkiln/messages';
import protobuf from 'protobufjs';
import type { Definitions } from '../gen/definitions.ts';
import { type CallResult, type Headers, okResult } from './wire.ts';

/** A method with the codecs of its messages. */
export interface Method {
  readonly name: MethodName;
  /** "/webkiln.projects.v1.Projects/GetProject" */
  readonly path: string;
  readonly service: ServiceName;
  /** From the proto's idempotency_level: true if running it twice does no harm. */
  readonly isIdempotent: boolean;
  readonly encodeRequest: (request: object) => Buffer;
  readonly decodeRequest: (bytes: Buffer) => object;
  readonly encodeReply: (reply: object) => Buffer;
  readonly decodeReply: (bytes: Buffer) => object;
}

/** Each proto is read when it is first needed: most processes know few services. */
const protos = new protobuf.Root();
const folder = folderAbove(import.meta.dirname, 'protos');
protos.resolvePath = (_origin, file) => path.join(folder, file);

/** The methods of a service by its full name: webkiln/projects/v1/projects.proto has webkiln.projects.v1.Projects. */
const methodsIn = (name: string): protobuf.Method[] =>
  protos.loadSync(`${name.toLowerCase().replaceAll('.', '/')}.proto`, { keepCase: true }).lookupService(name).methodsArray;

/** A service's definition by its full name, as in "grpc.health.v1.Health". */
export const definitionOf = (name: string): ServiceDefinition =>
  Object.fromEntries(methodsIn(name).map((method) => [method.name, definition(method)]));

function definition(method: protobuf.Method): ServiceDefinition[string] {
  const [request, response] = [codecOf(method.resolvedRequestType), codecOf(method.resolvedResponseType)];
  return {
    path: `/${method.parent?.fullName.slice(1)}/${method.name}`,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}

const shapes = { longs: Number, enums: String, defaults: true };

function codecOf(type: protobuf.Type | null) {
  if (type === null) throw new Error('a method of a proto has no message');
  return {
    encode: (message: object) => type.encode(type.fromObject(message)).finish() as Buffer,
    decode: (bytes: Buffer): object => type.toObject(type.decode(bytes), shapes),
  };
}

const areasOf = (service: ServiceName): readonly string[] => [
  ...services[service].areas,
  ...((dataServiceNames as readonly ServiceName[]).includes(service) ? commonAreas : []),
];

/** The methods that a service must serve. */
export const methodsOf = (service: ServiceName): Method[] =>
  areasOf(service).flatMap((area) =>
    methodsIn(`webkiln.${area}.v1.${area[0]?.toUpperCase()}${area.slice(1)}`).map((method) => {
      const { path, ...codecs } = definition(method);
      return {
        name: `${area}.${method.name}` as MethodName,
        path,
        service,
        isIdempotent: method.getOption('idempotency_level') !== undefined,
        encodeRequest: codecs.requestSerialize,
        decodeRequest: codecs.requestDeserialize,
        encodeReply: codecs.responseSerialize,
        decodeReply: codecs.responseDeserialize,
      };
    }),
  );

const named = new Map<string, Method>();

/** The method of this name; one that several services serve is that of the last. */
export function methodNamed(name: string): Method | undefined {
  const known = named.get(name);
  if (known !== undefined) return known;
  const area = `${name.split('.')[0]}.`;
  const service = rpcServiceNames.findLast((each) => areasOf(each).some((own) => `${own}.` === area));
  const methods = service === undefined ? [] : methodsOf(service).filter((method) => method.name.startsWith(area));
  for (const method of methods) named.set(method.name, method);
  return named.get(name);
}

/** Encodes a request of a method, as `callForReply` sends it. */
export function encodeRequest<M extends MethodName>(name: M, request: RequestOf<M>): Buffer {
  const method = methodNamed(name);
  if (method === undefined) throw new Error(`no service serves ${name}`);
  return method.encodeRequest(request as object);
}

/** In the headers of a call: the caller wants JSON. In those of its result: the payload is JSON. */
export const jsonForm: Headers = { form: 'json' };
export const isJson = ({ form }: Headers): boolean => form === jsonForm.form;

/**
 * The reply of a read whose caller `wantsJson`, as the service encoded it, once: the JSON of the contract, and what the
 * headers of its response need.
 */
export class JsonReply {
  /** Part of a larger message: to keep it, copy it. */
  readonly json: Buffer;
  readonly etag: string | undefined;
  readonly total: number | undefined;
  readonly next_cursor: string | undefined;

  constructor(payload: Uint8Array, { etag, total, next_cursor }: Headers) {
    this.json = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    this.etag = etag;
    this.total = total === undefined ? undefined : Number(total);
    this.next_cursor = next_cursor;
  }
}

export type JsonEncoder = (reply: object) => CallResult;

const operationsByRpc = new Map(Object.values(operations).map((operation) => [operation.rpc, operation]));

/** Encodes the replies of a read as JSON. Undefined for an RPC that is no read of the API, or one of files. */
export function jsonEncoderOf(rpc: string): JsonEncoder | undefined {
  const operation = operationsByRpc.get(rpc);
  if (operation?.method !== 'GET' || typeof operation.output === 'string') return undefined;
  const { output } = operation;
  const isPaged = hasCursor(operation);
  // Compiled when first needed: most processes show few of their records.
  let serialize: Serializer | undefined;
  return (reply) => {
    serialize ??= createSerializer(output);
    const { etag, total, next_cursor } = reply as { etag?: string; total?: number; next_cursor?: string };
    const metadata: { [name: string]: string } = { ...jsonForm };
    if (etag) metadata.etag = etag;
    if (total !== undefined) metadata.total = String(total);
    if (isPaged) metadata.next_cursor = next_cursor ?? '';
    return { ...okResult(Buffer.from(JSON.stringify(serialize(reply))), false), metadata };
  };
}

/** Finds a folder in an ancestor of `start`; works from the sources and from a bundle. */
function folderAbove(start: string, name: string): string {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = path.join(folder, name);
    if (existsSync(found)) return found;
    if (folder === path.dirname(folder)) throw new Error(`no folder ${name} above ${start}`);
  }
}

/** Leaves out the index signature that generated definitions have beside their methods. */
type MethodsOf<Definition> = keyof { [M in keyof Definition as string extends M ? never : M]: never };

/** "projects.GetProject" */
export type MethodName = { [A in keyof Definitions]: `${A}.${MethodsOf<Definitions[A]> & string}` }[keyof Definitions];

type DefinitionOf<M extends MethodName> = M extends `${infer A extends keyof Definitions}.${infer Name}`
  ? Definitions[A][Name & keyof Definitions[A]]
  : never;

/** The wire does not distinguish null from absent: senders may write either, receivers see absent. */
type Sent<T> = T extends Uint8Array | string | number | boolean
  ? T
  : T extends readonly (infer E)[]
    ? readonly Sent<E>[]
    : { [K in keyof T]: Sent<T[K]> | null };

type Types<M extends MethodName> =
  DefinitionOf<M> extends MethodDefinition<infer RequestIn, infer ResponseIn, infer RequestOut, infer ResponseOut>
    ? { requestIn: RequestIn; responseIn: ResponseIn; requestOut: RequestOut; responseOut: ResponseOut }
    : never;

/** A request as callers pass it. */
export type RequestOf<M extends MethodName> = Sent<Types<M>['requestIn']>;
/** A request as handlers receive it: plain fields have their proto defaults, `optional` ones may be absent. */
export type IncomingRequest<M extends MethodName> = Types<M>['requestOut'];
/** A reply as handlers return it. */
export type ReplyOf<M extends MethodName> = Sent<Types<M>['responseIn']>;
/** A reply as callers receive it. */
export type IncomingReply<M extends MethodName> = Types<M>['responseOut'];
