import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { commonAreas, dataServiceNames, rpcServiceNames, type ServiceName, services } from '@webkiln/messages';
import type { Definitions } from '../gen/definitions.ts';

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

const capitalized = (area: string) => `${area[0]?.toUpperCase()}${area.slice(1)}`;
const areas = [...Object.values(services).flatMap(({ areas }) => areas), ...commonAreas];

const definitions = loadSync(
  ['grpc/health/v1/health.proto', 'webkiln/carrier/v1/carrier.proto', ...areas.map((area) => `webkiln/${area}/v1/${area}.proto`)],
  {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: false,
    includeDirs: [folderAbove(import.meta.dirname, 'protos')],
  },
);

/** A service's definition by its full name, as in "grpc.health.v1.Health". */
export function definitionOf(name: string): ServiceDefinition {
  const definition = definitions[name];
  if (definition === undefined || 'format' in definition) throw new Error(`no proto declares the service ${name}`);
  return definition;
}

/** Every method of every service, by name. */
export const methodTable: ReadonlyMap<string, Method> = new Map(
  rpcServiceNames.flatMap((service) => methodsOf(service).map((method) => [method.name, method] as const)),
);

/** Encodes a request of a method, as `callForReply` sends it. */
export function encodeRequest<M extends MethodName>(name: M, request: RequestOf<M>): Buffer {
  const method = methodTable.get(name);
  if (method === undefined) throw new Error(`no service serves ${name}`);
  return method.encodeRequest(request as object);
}

/** The methods that a service must serve. */
export function methodsOf(service: ServiceName): Method[] {
  const common = (dataServiceNames as readonly ServiceName[]).includes(service) ? commonAreas : [];
  return [...services[service].areas, ...common].flatMap((area) =>
    Object.entries(definitionOf(`webkiln.${area}.v1.${capitalized(area)}`)).map(([name, definition]) =>
      method(service, `${area}.${name}` as MethodName, definition),
    ),
  );
}

function method(service: ServiceName, name: MethodName, definition: MethodDefinition<object, object>): Method {
  return {
    name,
    path: definition.path,
    service,
    isIdempotent: definition.options.idempotency_level !== 'IDEMPOTENCY_UNKNOWN',
    encodeRequest: definition.requestSerialize,
    decodeRequest: definition.requestDeserialize,
    encodeReply: definition.responseSerialize,
    decodeReply: definition.responseDeserialize,
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
