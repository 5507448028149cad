import * as z from 'zod';
import type { Operation } from './operation.ts';

interface Hint {
  /** Says what a parameter takes if the text is something else; ASCII without commas. */
  readonly of: (text: string) => string | undefined;
}

/** Registry of query parameters that ignore or clamp values: `schema.register(hints, …)`. */
export const hints = z.registry<Hint>();

const maxWarnings = 10;
const shownName = /^[\w.-]{1,60}$/;

/**
 * What of a query was ignored or clamped, as the text of `X-Parameter-Warnings`; undefined if nothing was. Reads are
 * lenient, so that a caller may send more than an older platform knows.
 */
export function parameterWarnings({ input }: Operation, query: Readonly<Record<string, string | undefined>>): string | undefined {
  const known: Readonly<Record<string, unknown>> = input?.shape ?? {};
  const warnings: string[] = [];
  for (const [name, text = ''] of Object.entries(query)) {
    if (!Object.hasOwn(known, name)) warnings.push(`${shownName.test(name) ? name : 'a parameter'}: not known here`);
    else {
      const hint = text === '' ? undefined : hints.get(known[name] as z.ZodType)?.of(text);
      if (hint !== undefined && !(name === 'offset' && query.cursor)) warnings.push(`${name}: ${hint}`);
    }
    if (warnings.length === maxWarnings) break;
  }
  return warnings.length === 0 ? undefined : warnings.join(', ');
}
