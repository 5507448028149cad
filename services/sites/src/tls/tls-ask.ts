import type { InternalAnswer } from '@webkiln/runtime';
import { logger } from '@webkiln/runtime';
import type { Domain } from '../serving/domain.ts';

const maxHostLength = 253;
const yes = { status: 200, text: 'yes' };
const no = { status: 404, text: 'no' };
const unknown = { status: 503, text: 'cannot tell' };

/**
 * Tells a TLS proxy whether to obtain a certificate for `?domain=`: yes for published sites, suspended or not. Never
 * for previews, because certificates are logged publicly (RFC 6962) and the host of a preview is its secret. Served
 * from the resolution cache.
 */
export const tlsAsk =
  ({ nameOf, resolutions }: Domain) =>
  async (query: URLSearchParams): Promise<InternalAnswer> => {
    const host = query.get('domain') ?? '';
    const name = host.length > maxHostLength || host.includes(':') ? undefined : nameOf(host);
    if (name === undefined) return no;
    try {
      return (await resolutions.find(name)) === null ? no : yes;
    } catch (err) {
      logger.warn({ err, host }, 'site lookup failed; responding 503');
      return unknown;
    }
  };
