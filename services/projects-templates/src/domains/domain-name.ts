import { domainToASCII } from 'node:url';
import { AppError } from '@webkiln/contract';
import { parse } from 'tldts';
import { deceptiveWord, isReservedName } from '../deploys/site-name.ts';

const maxNameLength = 253;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Where custom domains point to, from the settings. */
export interface Target {
  /** The name that CNAME records name. */
  readonly cname: string;
  /** IPv4 and IPv6 addresses, for names that can have no CNAME. */
  readonly addresses: readonly string[];
  /** The hosts of the platform itself: nothing at or below them is a custom domain. */
  readonly ownHosts: readonly string[];
}

interface Settings {
  readonly ORIGIN: string;
  readonly SITES_ORIGIN: string;
  readonly PREVIEW_ORIGIN: string;
  readonly SITES_CNAME?: string | undefined;
  readonly SITES_ADDRESSES: readonly string[];
}

export function targetOf({ ORIGIN, SITES_ORIGIN, PREVIEW_ORIGIN, SITES_CNAME, SITES_ADDRESSES }: Settings): Target {
  const ownHosts = [ORIGIN, SITES_ORIGIN, PREVIEW_ORIGIN].map((origin) => new URL(origin).hostname);
  return { cname: SITES_CNAME ?? new URL(SITES_ORIGIN).hostname, addresses: SITES_ADDRESSES, ownHosts };
}

/** A domain as DNS has it, in lower case and punycode. Throws `validation_failed` with what to correct. */
export function domainName(given: string, target: Target): string {
  const name = domainToASCII(given.trim().replace(/\.$/, '').toLowerCase());
  const { isIp, domain, publicSuffix } = parse(name, { allowPrivateDomains: true });
  const isName = name.length <= maxNameLength && name.split('.').every((part) => label.test(part));
  if (isIp === true || !isName || !name.includes('.') || /^\d+$/.test(name.split('.').at(-1) ?? '')) {
    throw invalid('domain', 'must be a domain name, as in www.example.com');
  }
  if (!parse(name).isIcann) throw invalid('domain', 'must end as a public domain does, as in www.example.com');
  if (domain === null || publicSuffix === name) throw invalid('domain', `must be below ${name}: nobody can own that itself`);
  if (target.ownHosts.some((host) => name === host || name.endsWith(`.${host}`))) throw invalid('domain', 'belongs to this platform');
  if (isApex(name) && target.addresses.length === 0) {
    throw invalid('domain', `must have a label before ${name}, as in www.${name}: this platform has no address for a domain itself`);
  }
  return name;
}

/** True for a name that can have no CNAME, because a whole domain begins there (RFC 1912 §2.4). */
export const isApex = (name: string): boolean => parse(name, { allowPrivateDomains: true }).domain === name;

/** A site's own label. Throws `validation_failed`. */
export function subdomainName(given: string): string {
  const name = given.trim().toLowerCase();
  if (name.length < 3 || !label.test(name) || name.startsWith('xn--')) {
    throw invalid('subdomain', 'must have 3 to 63 letters a to z, digits and hyphens, and no hyphen at either end');
  }
  if (isReservedName(name)) throw invalid('subdomain', 'is reserved for the platform');
  const word = deceptiveWord(name);
  if (word !== undefined)
    throw invalid('subdomain', `must not contain ${word}, which visitors could take for another's: use a domain of your own`);
  return name;
}

const invalid = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);
