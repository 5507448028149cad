interface RangeHeaders {
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
 * The requested part of a representation of `size` bytes: undefined for all of it, 'unsatisfiable' if the range lies
 * outside. Anything but a single byte range is ignored, as RFC 9110 §14.2 allows. So is a range whose If-Range names
 * another ETag (§13.1.5, strong comparison).
 */
export function requestedRange(
  { range, 'if-range': ifRange }: RangeHeaders,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = singleRange.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

const lastBytes = (count: number, size: number) =>
  count > 0 && size > 0 ? { start: Math.max(0, size - count), end: size - 1 } : ('unsatisfiable' as const);
