import { isDeepStrictEqual } from 'node:util';

/**
 * The allowed fields of `wanted` that differ from the current ones; null if none does. Absent fields stay as they are.
 */
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
