import { createSerializer, hasCursor, operations, type Serializer } from '@webkiln/contract';
import { type CallResult, type Headers, okResult } from './wire.ts';

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
