/** Matches an `AppError` with this code. */
export const refusal = (code: string) => expect.objectContaining({ code });

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value');
  return value;
}
