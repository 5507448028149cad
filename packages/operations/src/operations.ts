import { hash } from 'node:crypto';
import {
  type Access,
  AppError,
  accessTo,
  createSerializer,
  type ErrorCode,
  type Operation,
  pathId,
  type Serializer,
  validate,
} from '@webkiln/contract';
import type { Idempotency } from '@webkiln/messages';
import type { MethodName, RequestOf } from '@webkiln/rpc';

/** An API operation with everything that can be computed at start, so that requests need not. */
export interface PreparedOperation {
  readonly name: string;
  readonly operation: Operation;
  readonly access: Access;
  readonly rpc: MethodName;
  /** Path parameters, the request fields they fill (`projectId` → `project_id`), and the pattern of ids. */
  readonly params: readonly { readonly name: string; readonly field: string; readonly pattern?: RegExp }[];
  /** Error for a malformed id: the same as for an unknown one, by the path's last id. */
  readonly notFound: ErrorCode;
  readonly serialize: Serializer | 'file' | 'stream';
  readonly isList: boolean;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function prepareOperation(name: string, operation: Operation): PreparedOperation {
  const params = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string);
  const idParam = params.findLast((param) => param !== 'path');
  return {
    name,
    operation,
    access: accessTo(operation),
    rpc: operation.rpc as MethodName,
    params: params.map((param) =>
      param === 'path' ? { name: '*', field: param } : { name: param, field: snake(param), pattern: pathId(param).form },
    ),
    notFound: idParam === undefined ? 'route_not_found' : (`${snake(idParam).replace(/_id$/, '')}_not_found` as ErrorCode),
    serialize: typeof operation.output === 'string' ? operation.output : createSerializer(operation.output),
    isList: typeof operation.output !== 'string' && 'total' in operation.output.shape,
  };
}

/** Leaves out a byte order mark, as .NET and PowerShell write it before JSON (RFC 8259 §8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body; an empty body is an empty object. Throws `malformed_json`. */
export function parseJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body);
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}

/** Path parameters, by their names. */
type PathValues = Readonly<Record<string, string | undefined>>;

/** Path parameters as request fields. Throws the operation's `notFound` for a malformed id. */
function idsIn({ params, notFound }: PreparedOperation, values: PathValues): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { name, field, pattern } of params) {
    const value = values[name] ?? '';
    if (pattern?.test(value) === false) throw new AppError(notFound);
    ids[field] = pattern === undefined ? value : value.toLowerCase();
  }
  return ids;
}

/**
 * The RPC request of an operation: its input with defaults, the ids of its path, and for a PATCH the names of the
 * fields to change. Throws `validation_failed`, or else the operation's `notFound` for a malformed id.
 */
export function requestFor(prepared: PreparedOperation, input: unknown, path: PathValues): RequestOf<MethodName> {
  const { method, input: schema } = prepared.operation;
  const valid = schema === undefined ? {} : validate(schema, input);
  const request = { ...valid, ...idsIn(prepared, path) };
  return (method === 'PATCH' ? { ...request, update_mask: Object.keys(valid) } : request) as RequestOf<MethodName>;
}

/** The id of no project. */
const unknownProjectId = '00000000-0000-4000-8000-000000000000';

/** The id that a credential of one project means by `asked`: every other project is an unknown one to it. */
export const projectWithin = (asked: string, project_id: string): string =>
  asked.toLowerCase() === project_id ? project_id : unknownProjectId;

const maxKeyBytes = 255;

/** A write that may be repeated. */
export interface Repeatable {
  /** The caller's Idempotency-Key; undefined if it sent none. */
  readonly key: string | undefined;
  /** The caller's name for the key: a header, or an argument. */
  readonly keyName: string;
  readonly credentialId: string;
  /** Where the request goes: the same key may be used once at each path. */
  readonly path: string;
  readonly body: string | Uint8Array;
  /** The body, parsed: the same values in another order or spelling are the same request to an Idempotency-Key. */
  readonly values?: unknown;
}

/**
 * Identifies a write so that a retry repeats no effect: by its Idempotency-Key, or by a digest of its body without one.
 * Throws `validation_failed` unless the key has 1 to 255 bytes.
 */
export function idempotencyFor({ key, keyName, credentialId, path, body, values }: Repeatable): Idempotency {
  const bodyDigest = hash('sha256', body, 'base64url');
  if (key === undefined) return { id: digest(['implicit', credentialId, path, bodyDigest]), body: bodyDigest, explicit: false };
  if (key === '' || Buffer.byteLength(key) > maxKeyBytes) {
    throw new AppError('validation_failed', [{ path: keyName, message: `must have 1 to ${maxKeyBytes} bytes` }]);
  }
  const meaning = values === undefined ? undefined : hash('sha256', JSON.stringify(values, keysInOrder), 'base64url');
  return { id: digest(['explicit', credentialId, path, key]), body: bodyDigest, meaning, explicit: true };
}

/** JSON keeps the parts apart: without it, different lists could have the same digest. */
const digest = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url');

/** For `JSON.stringify`: the same text whatever the order of the keys in objects. */
const keysInOrder = (_key: string, value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
