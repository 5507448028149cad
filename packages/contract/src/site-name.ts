/**
 * Returns a function that extracts the site name from a Host header (RFC 9110 §7.2): the single label before the sites'
 * domain, in lower case. Other hosts yield undefined.
 */
export function siteNames(domain: string): (host: string | undefined) => string | undefined {
  const form = new RegExp(`^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\\.${domain.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i');
  return (host) => (host === undefined ? undefined : form.exec(host)?.[1]?.toLowerCase());
}

const hostForm = /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9-]{1,63})\.?(?::\d*)?$/;
const maxHostLength = 253;

/**
 * Returns a function that extracts a domain from a Host header, in lower case, if it may be a customer's own: a name
 * with a dot that is neither one of the platform's hosts nor below one. IP addresses and other hosts yield undefined.
 */
export function customDomains(ownHosts: readonly string[]): (host: string | undefined) => string | undefined {
  const own = ownHosts.map((host) => host.toLowerCase());
  return (host) => {
    const name = host === undefined || host.length > maxHostLength + 7 ? undefined : hostForm.exec(host.toLowerCase())?.[1];
    return name === undefined || own.some((other) => name === other || name.endsWith(`.${other}`)) ? undefined : name;
  };
}

/** The same for every published site: its label below the sites' domain, or a custom domain. */
export function siteHosts(sitesDomain: string, otherHosts: readonly string[]): (host: string | undefined) => string | undefined {
  const [labelOf, domainOf] = [siteNames(sitesDomain), customDomains([sitesDomain, ...otherHosts])];
  return (host) => labelOf(host) ?? domainOf(host);
}
