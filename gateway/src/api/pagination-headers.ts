import { maxOffset, wholeListCap } from '@webkiln/contract';

/** Largest `limit` that a request may name. */
const maxPageSize = 100;
const clampedOffset = `offset: at most ${maxOffset}; follow rel="next" of the Link header to go further`;

/** `next_cursor` is empty on the last page, and absent where pages go by offset alone. */
interface ListReply {
  readonly total?: number;
  readonly next_cursor?: string;
}

/**
 * X-Total-Count, and a Link header (RFC 8288) with first, prev, next and last, as far as these pages exist and can be
 * reached. `request` holds limit, offset, cursor and the filters.
 */
export function paginationHeaders(url: string, request: Record<string, unknown>, { total = 0, next_cursor }: ListReply): string[] {
  const { limit, offset: sentOffset = 0, cursor, ...rest } = request as { limit?: number; offset?: number; cursor?: string };
  const isClamped = cursor === undefined && sentOffset > maxOffset;
  const offset = isClamped ? maxOffset : sentOffset;
  const shown = limit ?? wholeListCap;
  const page = Math.min(shown, maxPageSize);
  const filters = Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const links: string[] = [];
  const link = (rel: string, at: number, after?: string) => {
    if (at > maxOffset && after === undefined) return;
    const place: [string, string][] = after === undefined ? [] : [['cursor', after]];
    links.push(`<${url}?${new URLSearchParams([...filters, ['limit', String(page)], ['offset', String(at)], ...place])}>; rel="${rel}"`);
  };
  if (offset > 0) {
    link('first', 0);
    link('prev', Math.max(0, offset - page));
  }
  const hasNext = next_cursor === undefined ? offset + shown < total : next_cursor !== '';
  if (hasNext) {
    link('next', offset + shown, next_cursor);
    link('last', Math.floor((total - 1) / page) * page);
  }
  return [
    'X-Total-Count',
    String(total),
    ...(links.length === 0 ? [] : ['Link', links.join(', ')]),
    ...(isClamped ? ['X-Parameter-Warnings', clampedOffset] : []),
  ];
}
