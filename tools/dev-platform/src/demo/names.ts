import { lookup as resolve } from 'node:dns/promises';

type Lookup = (name: string) => Promise<{ readonly address: string }>;

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.');

/**
 * What to do if this machine does not resolve the names of sites: Chrome and Firefox open names below `.localhost` by
 * themselves (RFC 6761 §6.3), and Safari, curl and most programs ask the system. Undefined if they resolve.
 */
export async function hintAboutNames(urls: readonly string[], lookup: Lookup = resolve): Promise<string | undefined> {
  const [first] = urls;
  if (first === undefined || !first.startsWith('http:')) return undefined;
  const { port } = new URL(first);
  const hosts = urls.map((url) => new URL(url).hostname);
  if (!hosts.every((host) => host.endsWith('.localhost')) || (await resolves(hosts[0] ?? '', lookup))) return undefined;
  return [
    'This machine does not resolve names below .localhost: Chrome and Firefox open them, Safari, curl and other programs do not.',
    `For these sites add to the hosts file (/etc/hosts, on Windows C:\\Windows\\System32\\drivers\\etc\\hosts): 127.0.0.1 ${hosts.join(' ')}`,
    `For curl without it: curl --resolve ${hosts[0]}:${port}:127.0.0.1 ${first}`,
    `For all sites start with names of a public DNS service that lead to this machine: SITES_ORIGIN=http://sites.127.0.0.1.sslip.io:${port} PREVIEW_ORIGIN=http://preview.127.0.0.1.nip.io:${port} npm start`,
  ].join('\n  ');
}

const resolves = (host: string, lookup: Lookup): Promise<boolean> =>
  lookup(host).then(
    ({ address }) => isLoopback(address),
    () => false,
  );
