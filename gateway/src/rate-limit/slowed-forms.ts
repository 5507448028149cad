import type { RequestListener } from 'node:http';
import type { SlowedRefusals } from './slowed-refusals.ts';

/**
 * Holds back forms to a site while many of its forms are refused with 429, from whatever addresses they come: a flood
 * must not cost as many refusals as the site's service can make. Other requests pass.
 */
export function slowRefusedForms(refusals: SlowedRefusals, handle: RequestListener): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') return void handle(request, response);
    const site = `forms of ${request.headers.host?.toLowerCase()}`;
    response.once('finish', () => {
      if (response.statusCode === 429) refusals.count(site);
    });
    await refusals.hold(site);
    handle(request, response);
  };
}
