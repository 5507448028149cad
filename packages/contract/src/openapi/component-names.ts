import * as z from 'zod';
import { hasCursor, type Operation } from '../http/operation.ts';

const upperFirst = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const idOf = (schema: unknown): string | undefined => (schema instanceof z.ZodType ? (schema.meta()?.id as string | undefined) : undefined);

/** The record of a list's field; undefined for any other field. */
const recordOf = (field: unknown) => (field instanceof z.ZodArray ? idOf(field.element) : undefined);

/** In a list that a cursor leads through; the gateway adds it to what the service answers. */
const nextCursor = z
  .string()
  .optional()
  .describe('Where the next page begins: send it as `cursor`. Absent on the last page. The Link header leads there, too');

/** `ClientList` of `{clients, total}`, `ClientResponse` of `{client}`, `CreateKeyResult` of anything else. */
function responseName(operationId: string, { shape }: z.ZodObject): string {
  const [first, ...others] = Object.entries(shape);
  const record = recordOf(first?.[1]);
  if (record !== undefined && others.every(([name]) => name === 'total')) return `${record}List`;
  const single = idOf(first?.[1]);
  return single !== undefined && others.length === 0 ? `${single}Response` : `${upperFirst(operationId)}Result`;
}

const isSameShape = (one: z.ZodObject, other: z.ZodObject) => {
  const fields = ({ shape }: z.ZodObject) => Object.entries(shape).map(([name, field]) => `${name}:${recordOf(field) ?? idOf(field)}`);
  return fields(one).join() === fields(other).join();
};

/**
 * Gives the bodies of one document's requests and responses the names of components, so that generated clients have
 * types that a person would choose. Throws if two different bodies would have the same name.
 */
export class ComponentNames {
  readonly #named = new Map<string, z.ZodObject>();

  request(operationId: string, { summary, input }: Operation): z.ZodObject {
    if (input === undefined) throw new Error(`${operationId} takes no body`);
    if (Object.keys(input.shape).length === 0) return this.#name('EmptyBody', input, 'An object without fields: the operation needs none');
    return this.#name(upperFirst(operationId), input, summary);
  }

  response(operationId: string, operation: Operation): z.ZodObject {
    const { summary, output } = operation;
    if (typeof output === 'string') throw new Error(`${operationId} returns no JSON`);
    if (idOf(output) !== undefined) return output;
    const shown = hasCursor(operation) ? output.extend({ next_cursor: nextCursor }) : output;
    return this.#name(responseName(operationId, output), shown, summary);
  }

  #name(id: string, schema: z.ZodObject, description: string): z.ZodObject {
    const known = this.#named.get(id);
    if (known !== undefined && !isSameShape(known, schema)) throw new Error(`two different bodies are called ${id}`);
    const named = known ?? schema.meta({ id, description });
    this.#named.set(id, named);
    return named;
  }
}
