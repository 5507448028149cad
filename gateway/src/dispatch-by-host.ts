import type { RequestListener } from 'node:http';

/**
 * Sends a request for the sites' domain, or any name below it, to `sites` and every other one to `origin`, before either looks at it: nothing of
 * ours is ever served where strangers' pages are, nor theirs here.
 */
export function dispatchByHost(
  sitesDomain: string,
  { sites, origin }: { sites: RequestListener; origin: RequestListener },
): RequestListener {
  const below = new RegExp(`(?:^|\\.)${sitesDomain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
  return (request, response) => {
    const { host } = request.headers;
    (host !== undefined && below.test(host) ? sites : origin)(request, response);
  };
}
