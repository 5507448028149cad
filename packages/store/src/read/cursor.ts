/** The values of the sorted fields of one record. */
export type Position = readonly (string | number)[];

/** Names a record's place in a list; callers do not look into it. */
export function cursorAt(record: object, sorted: readonly string[]): string {
  const position = sorted.map((field) => (record as Record<string, unknown>)[field]);
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The place that a cursor names, in a list with `length` sorted fields; null if no page had such a cursor. */
export function positionOf(cursor: string, length: number): Position | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isPosition = Array.isArray(position) && position.length === length && position.every(isSortable);
    return isPosition ? position : null;
  } catch {
    return null;
  }
}

const isSortable = (value: unknown) => typeof value === 'string' || typeof value === 'number';
