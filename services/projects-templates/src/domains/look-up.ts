import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { isPublicAddress } from '@webkiln/outbound';
import type { WantedRecord } from './domain.ts';
import { isApex, type Target } from './domain-name.ts';

const timeoutMs = 2000;
const tries = 2;
/** Over all name servers: a person waits for the answer. */
const maxTotalMs = 4000;
const maxObserved = 10;
const maxObservedLength = 255;

const verificationName = (name: string): string => `_site-verify.${name}`;

/** The records that a domain needs, before any is looked for. */
export function wantedRecords(name: string, token: string, { cname, addresses }: Target): WantedRecord[] {
  const unseen = { observed: [], ok: false };
  const pointing: WantedRecord[] = isApex(name)
    ? addresses.map((value) => ({ type: isIPv6(value) ? 'AAAA' : 'A', name, value, ...unseen }))
    : [{ type: 'CNAME', name, value: cname, ...unseen }];
  return [{ type: 'TXT', name: verificationName(name), value: token, ...unseen }, ...pointing];
}

/** What was found of a domain. */
export interface Found {
  /** The records with what is there. */
  readonly records: WantedRecord[];
  /** What to do next; null if the domain is proven and points here. */
  readonly problem: string | null;
  /** The proofs that are there; undefined if that could not be looked up. */
  readonly proofs: readonly string[] | undefined;
}

/** True if a claim's own proof is there; undefined if that could not be looked up. */
export const isProven = ({ proofs }: Found, [proof]: readonly WantedRecord[]): boolean | undefined =>
  proofs?.some((text) => text.toLowerCase() === proof?.value.toLowerCase());

/** Looks for the records of domains at name servers (`address[:port]`), the system's if none are given. */
export class DomainLookups {
  readonly #servers: readonly string[];
  readonly #target: Target;

  constructor({ servers, target }: { servers: readonly string[]; target: Target }) {
    this.#servers = servers;
    this.#target = target;
  }

  /** Looks for the records of a domain. Never rejects. */
  async find(name: string, wanted: readonly WantedRecord[]): Promise<Found> {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (this.#servers.length > 0) resolver.setServers([...this.#servers]);
    const timer = setTimeout(() => resolver.cancel(), maxTotalMs);
    const answered = (query: Promise<readonly string[]>) => query.catch(() => []);
    let isAnswered = true;
    const proofs = resolver.resolveTxt(verificationName(name)).catch(({ code }: NodeJS.ErrnoException) => {
      isAnswered = code === NOTFOUND || code === NODATA;
      return [];
    });
    const [texts, aliases, v4, v6] = await Promise.all([
      proofs.then((records) => records.map((parts) => parts.join(''))),
      answered(resolver.resolveCname(name)),
      answered(resolver.resolve4(name)),
      answered(resolver.resolve6(name)),
    ]);
    clearTimeout(timer);
    const { addresses } = this.#target;
    // Some DNS providers answer for a CNAME with its addresses.
    const pointsHere = [...v4, ...v6].some((address) => addresses.includes(address));
    const shown = (found: readonly string[]) => found.map((one) => (addresses.includes(one) || isPublicAddress(one) ? one : notPublic));
    const observedOf = { TXT: texts, CNAME: aliases.length > 0 ? aliases : shown([...v4, ...v6]), A: shown(v4), AAAA: shown(v6) };
    const records = wanted.map((record) => {
      const observed = observedOf[record.type];
      const isThere = observed.some((value) => value.toLowerCase() === record.value.toLowerCase());
      return { ...record, observed: observed.slice(0, maxObserved).map(shortened), ok: isThere || (record.type !== 'TXT' && pointsHere) };
    });
    return { records, problem: problemOf(records), proofs: isAnswered ? texts : undefined };
  }
}

/** In place of an address inside a network, which is nobody else's to know. */
const notPublic = 'an address that is not public';

const shortened = (value: string) => value.slice(0, maxObservedLength);

/** One matching address is enough. */
function problemOf(records: readonly WantedRecord[]): string | null {
  const [proof, ...pointing] = records;
  const wrong = [...(proof?.ok ? [] : [proof]), ...(pointing.some(({ ok }) => ok) ? [] : pointing)].find((record) => record !== undefined);
  if (wrong === undefined) return null;
  const { type, name, value, observed } = wrong;
  const wish = `add a ${type} record at ${name} with the value ${value}.`;
  if (observed.length === 0) return `Nothing is found yet: ${wish} New records can take an hour to be seen.`;
  const found = observed.join(', ');
  if (type === 'TXT') return `The TXT record at ${name} has another value (${found}): ${wish}`;
  return `${name} points to ${found} and not here: remove that record and ${wish}`;
}
