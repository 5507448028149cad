interface Conditional {
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const singleRange = /^bytes=(\d*)-(\d*)$/i;

/**
 * The part that is wanted of so many bytes: undefined for all of them, 'unsatisfiable' when it lies outside. What is no single range of bytes is
 * ignored, as RFC 9110 §14.2 lets us, and so is one whose If-Range names other bytes (§13.1.5: a strong comparison).
 */
export function wantedRange(
  { range, 'if-range': unless }: Conditional,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (unless !== undefined && unless !== etag)) return undefined;
  const [, first = '', last = ''] = singleRange.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

const lastBytes = (count: number, size: number) =>
  count > 0 && size > 0 ? { start: Math.max(0, size - count), end: size - 1 } : ('unsatisfiable' as const);
