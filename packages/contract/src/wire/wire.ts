import * as z from 'zod';

/** The wire form of a schema whose proto type does not follow from its JSON type. */
interface Wire {
  /** The schema it travels as; unknown here, because zod rewrites the types in a registry. */
  readonly as?: unknown;
  readonly type?: 'bytes' | 'int64';
  /** The name of its proto message, where it has no OpenAPI name or another one. */
  readonly message?: string;
  /** Fields on the wire that no response shows. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Registry of wire forms: `schema.register(wire, …)`. */
export const wire = z.registry<Wire>();

export const Bytes = z.custom<Uint8Array>().register(wire, { type: 'bytes' });

/** A count that may exceed 31 bits. */
export const largeCount = () => z.int().register(wire, { type: 'int64' });
