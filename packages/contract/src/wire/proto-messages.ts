import * as z from 'zod';
import { File } from '../areas/project-files.ts';
import { hasCursor, type Operation, sendsEtag } from '../http/operation.ts';
import { Bytes, wire } from './wire.ts';

export interface ProtoField {
  readonly name: string;
  /** A scalar type, or the full name of a message. */
  readonly type: string;
  readonly label: 'optional ' | 'repeated ' | '';
}

export interface ProtoMessage {
  /** `webkiln.projects.v1.Project` */
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

/** `filename`: the name that browsers save it under, in ASCII, if not the end of the URL. */
const FileReply = z.object({ file: File, content: Bytes, filename: z.string().optional() });
/** The turn whose parts the gateway reads; empty if there is none. */
const StreamReply = z.object({ turn_id: z.string(), ended_turn_id: z.string().optional() });
/** The reply holds the content up to this many bytes; 0 for all of it. */
const MaxBytes = z.int();
const IsExport = z.boolean();
const Etag = z.string();
const NextCursor = z.string();
const UpdateMask = z.array(z.string());

/**
 * The proto3 messages of the operations' requests and replies and of the records in them, by full name. A record
 * belongs to the area whose operations name it first. Throws if a schema has no proto type or two schemas share a name.
 */
export function protoMessages(operations: readonly Operation[]): ProtoMessage[] {
  const messages = new Map<string, ProtoMessage>();
  const records = new Map<string, string>();

  function define(name: string, shape: z.ZodRawShape): string {
    const area = name.slice(0, name.lastIndexOf('.'));
    const fields = Object.entries(shape).map(([field, schema]) => fieldOf(area, field, schema as z.ZodType));
    const known = messages.get(name);
    if (known !== undefined && JSON.stringify(known.fields) !== JSON.stringify(fields)) throw new Error(`two schemas are called ${name}`);
    messages.set(name, known ?? { name, fields });
    return name;
  }

  function record(area: string, field: string, schema: z.ZodObject): string {
    const { message = schema.meta()?.id as string | undefined, extra = {} } = wire.get(schema) ?? {};
    if (message === undefined) throw new Error(`${area}: the object in the field ${field} needs the name of a message`);
    const name = records.get(message) ?? `${area}.${message}`;
    records.set(message, name);
    return define(name, { ...schema.shape, ...extra } as z.ZodRawShape);
  }

  function fieldOf(area: string, name: string, declared: z.ZodType): ProtoField {
    const { schema, isOptional, isNullable } = unwrap(declared);
    if (schema instanceof z.ZodArray) return { ...fieldOf(area, name, schema.element as z.ZodType), label: 'repeated ' };
    if (schema instanceof z.ZodObject) return { name, type: record(area, name, schema), label: isNullable ? 'optional ' : '' };
    return { name, type: scalarOf(name, schema), label: isOptional || isNullable ? 'optional ' : '' };
  }

  for (const operation of operations) {
    const [area = '', method = ''] = operation.rpc.split('.');
    const name = `webkiln.${area}.v1.${method}`;
    define(`${name}Request`, requestShape(operation));
    define(`${name}Response`, replyShape(operation));
  }
  return [...messages.values()];
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The path parameters, the input, the list of fields that a PATCH names, how much of a file the reply may hold, and
 * whether the reply begins an export of everything.
 */
function requestShape({ path, input, method, output, csv }: Operation): z.ZodRawShape {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [snake(name as string), z.string()]);
  return {
    ...Object.fromEntries(params),
    ...input?.shape,
    ...(method === 'PATCH' && { update_mask: UpdateMask }),
    ...(output === 'file' && { max_bytes: MaxBytes }),
    ...(csv !== undefined && 'next' in csv && { is_export: IsExport }),
  };
}

/** The output, the ETag if it is a record that callers can change, and the cursor of the next page (empty: none). */
function replyShape(operation: Operation): z.ZodRawShape {
  if (operation.output === 'file') return FileReply.shape;
  if (operation.output === 'stream') return StreamReply.shape;
  return {
    ...operation.output.shape,
    ...(sendsEtag(operation) && { etag: Etag }),
    ...(hasCursor(operation) && { next_cursor: NextCursor }),
  };
}

function unwrap(declared: z.ZodType) {
  let schema = declared;
  let [isOptional, isNullable] = [false, false];
  for (;;) {
    const as = wire.get(schema)?.as;
    if (as instanceof z.ZodType) schema = as;
    else if (schema instanceof z.ZodOptional) [schema, isOptional] = [schema.unwrap() as z.ZodType, true];
    else if (schema instanceof z.ZodNullable) [schema, isNullable] = [schema.unwrap() as z.ZodType, true];
    else if (schema instanceof z.ZodDefault) schema = schema.unwrap() as z.ZodType;
    else if (schema instanceof z.ZodPipe) schema = (schema.out instanceof z.ZodTransform ? schema.in : schema.out) as z.ZodType;
    else return { schema, isOptional, isNullable };
  }
}

function scalarOf(name: string, schema: z.ZodType): string {
  const type = wire.get(schema)?.type;
  if (type !== undefined) return type;
  if (schema instanceof z.ZodBoolean) return 'bool';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'int32' : 'double';
  if (['string', 'enum', 'literal'].includes(schema.def.type)) return 'string';
  throw new Error(`the field ${name} has no proto type: register one (wire.ts)`);
}
