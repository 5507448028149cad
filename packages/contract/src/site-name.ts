/**
 * Returns a function that extracts the site name from a Host header (RFC 9110 §7.2): the single label before the sites'
 * domain, in lower case. Other hosts yield undefined.
 */
export function siteNames(domain: string): (host: string | undefined) => string | undefined {
  const form = new RegExp(`^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\\.${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
  return (host) => (host === undefined ? undefined : form.exec(host)?.[1]?.toLowerCase());
}
