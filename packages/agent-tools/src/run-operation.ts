import type { Caller } from '@webkiln/messages';
import { idempotencyFor, type PreparedOperation, requestFor } from '@webkiln/operations';
import { callForReply, JsonReply } from '@webkiln/rpc';
import { defaultPageSize, type Values } from './tool-arguments.ts';
import { isTooLarge, shortened } from './tool-result.ts';

/** Identifies the call of a write. The same arguments in another order are the same call. */
export function repeatable(name: string, key: string | undefined, input: Values, { principal }: Caller) {
  const body = JSON.stringify(Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return idempotencyFor({
    key,
    keyName: 'idempotency_key',
    credentialId: principal.credential_id,
    path: `mcp/${name}`,
    body,
    values: input,
  });
}

export async function callOperation(prepared: PreparedOperation, values: Values, caller: Caller) {
  const { operation, params, rpc } = prepared;
  const input: Record<string, unknown> = { ...values };
  const ids: Record<string, string> = {};
  for (const { name, field } of params) {
    ids[name] = values[field] as string;
    delete input[field];
  }
  // Queries are texts in the API.
  if (operation.method === 'GET') for (const name in input) input[name] = String(input[name]);
  const request = requestFor(prepared, input, ids);
  return callForReply(rpc, request, caller);
}

/** A reply as the API shows it. */
export function shown({ name, serialize }: PreparedOperation, reply: object): Values {
  if (typeof serialize === 'string') throw new Error(`${name} returns no JSON`);
  return serialize(reply) as Values;
}

interface Read {
  readonly json: string;
  readonly etag?: string | undefined;
  readonly next_cursor?: string | undefined;
}

/** The JSON of a read, as its service encodes it, its entity tag, and of a list where the next page begins. */
export async function read(prepared: PreparedOperation, values: Values, caller: Caller): Promise<Read> {
  const { reply } = await callOperation(prepared, values, { ...caller, wantsJson: true });
  const { next_cursor, etag } = reply as { next_cursor?: string; etag?: string };
  // A service of the release before answers as it always did.
  return { json: reply instanceof JsonReply ? reply.json.toString() : JSON.stringify(shown(prepared, reply)), next_cursor, etag };
}

/** The JSON of a page with as many records as an agent can read. Fewer are asked for again, so that the cursor fits. */
export async function listPage(prepared: PreparedOperation, values: Values, caller: Caller): Promise<string> {
  for (let limit = Number(values.limit ?? defaultPageSize); ; limit = Math.max(1, limit >> 1)) {
    const page = await read(prepared, { ...values, limit }, caller);
    const json = `${page.json.slice(0, -1)},"next_cursor":${JSON.stringify(page.next_cursor || null)}}`;
    if (!isTooLarge(json)) return json;
    if (limit === 1) return shortened(json);
  }
}

/** The JSON of a page of a list that its service returns whole, under `name` of `fields`. Its cursors are numbers. */
export function slicePage(name: string, fields: Values, { limit = defaultPageSize, cursor = '0' }: Values): string {
  const all = fields[name] as readonly unknown[];
  const from = Number.parseInt(String(cursor), 10) || 0;
  for (let size = Number(limit); ; size = Math.max(1, size >> 1)) {
    const next = from + size;
    const json = JSON.stringify({ ...fields, [name]: all.slice(from, next), next_cursor: next < all.length ? String(next) : null });
    if (!isTooLarge(json)) return json;
    if (size === 1) return shortened(json);
  }
}
