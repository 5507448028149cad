import type * as z from 'zod';
import { EmbedClientId, embedClientIdForm, Uuid } from './fields.ts';

/** What a parameter of a path must look like to be an id at all. */
export interface PathId {
  readonly schema: z.ZodType;
  readonly form: RegExp;
}

const uuid: PathId = { schema: Uuid, form: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i };
const others: Readonly<Record<string, PathId>> = { embedClientId: { schema: EmbedClientId, form: embedClientIdForm } };

/** Ids are UUIDs, except those that strangers' programs are given. */
export const pathId = (parameter: string): PathId => others[parameter] ?? uuid;
