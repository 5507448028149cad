import { z } from 'zod';
import type { Owner, State } from '../state.ts';
import { common } from './wire.ts';

interface Call<Parsed> {
  readonly state: State;
  readonly owner: Owner;
  readonly params: Parsed;
  /** The parts of the path that the pattern leaves open, in order. */
  readonly ids: readonly string[];
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** "/v1/customers/{customer}" as in Stripe's OpenAPI description. */
  readonly path: string;
  readonly schema: z.ZodObject;
  handle(call: Call<never>): object;
}

export function route<Shape extends z.ZodRawShape>(
  method: Route['method'],
  path: string,
  shape: Shape,
  handle: (call: Call<z.infer<z.ZodObject<Shape & typeof common>>>, ...ids: string[]) => object,
): Route {
  return { method, path, schema: z.strictObject({ ...common, ...shape }), handle: (call) => handle(call as never, ...call.ids) };
}

export const oneOf = <const Values extends readonly string[]>(...values: Values) => z.enum(values);
