import { isDeepStrictEqual } from 'node:util';

/** The wanted fields that differ from the current ones, by allow-list; null when none does. A field absent from `wanted` stays as it is. */
export function changedFields<State, Field extends keyof State>(
  current: State,
  wanted: Partial<Pick<State, Field>>,
  changeable: readonly Field[],
): Partial<Pick<State, Field>> | null {
  const changed: Partial<Pick<State, Field>> = {};
  for (const field of changeable) {
    const value = wanted[field];
    if (value !== undefined && !isDeepStrictEqual(value, current[field])) changed[field] = value;
  }
  return Object.keys(changed).length > 0 ? changed : null;
}
