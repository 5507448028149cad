import { wholeListCap } from '@webkiln/contract';

/** Largest `limit` that a request may name. */
const maxPageSize = 100;

/**
 * X-Total-Count, and a Link header (RFC 8288) with first, prev, next and last, as far as these pages exist.
 * `request` holds limit, offset and the filters.
 */
export function paginationHeaders(url: string, request: Record<string, unknown>, total: number): string[] {
  const shown = typeof request.limit === 'number' ? request.limit : wholeListCap;
  const offset = typeof request.offset === 'number' ? request.offset : 0;
  const page = Math.min(shown, maxPageSize);
  const filters = Object.entries(request).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const link = (rel: string, at: number) =>
    `<${url}?${new URLSearchParams([...filters, ['limit', String(page)], ['offset', String(at)]])}>; rel="${rel}"`;
  const links: string[] = [];
  if (offset > 0) links.push(link('first', 0), link('prev', Math.max(0, offset - page)));
  if (offset + shown < total) links.push(link('next', offset + shown), link('last', Math.floor((total - 1) / page) * page));
  return ['X-Total-Count', String(total), ...(links.length === 0 ? [] : ['Link', links.join(', ')])];
}
