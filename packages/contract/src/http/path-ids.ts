import type * as z from 'zod';
import { EmbedClientId, embedClientIdForm, Uuid } from '../fields/fields.ts';

/** The pattern of a path parameter that is an id. */
export interface PathId {
  readonly schema: z.ZodType;
  readonly form: RegExp;
}

const uuid: PathId = { schema: Uuid, form: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i };
const others: Readonly<Record<string, PathId>> = { embedClientId: { schema: EmbedClientId, form: embedClientIdForm } };

/** Ids are UUIDs, except those of third-party programs. */
export const pathId = (parameter: string): PathId => others[parameter] ?? uuid;
