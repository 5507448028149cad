import type { InternalAnswer } from '@webkiln/runtime';
import { logger } from '@webkiln/runtime';
import type { Domain } from '../serving/domain.ts';

const longestDomain = 253;
const yes = { status: 200, text: 'yes' };
const no = { status: 404, text: 'no' };
const unknown = { status: 503, text: 'cannot tell' };

/**
 * Whether a certificate is to be had for `?domain=`: where a site is published under it, paused or not. Not for previews: every certificate is
 * published in a log, and the host of a preview is its secret. Answers from what visits go by, so it is bounded, and true while it can be known.
 */
export const tlsAsk =
  ({ nameOf, resolutions }: Domain) =>
  async (query: URLSearchParams): Promise<InternalAnswer> => {
    const domain = query.get('domain') ?? '';
    const name = domain.length > longestDomain || domain.includes(':') ? undefined : nameOf(domain);
    if (name === undefined) return no;
    try {
      return (await resolutions.find(name)) === null ? no : yes;
    } catch (error) {
      logger.warn({ err: error, site: name }, 'whether there is a site could not be found out');
      return unknown;
    }
  };
