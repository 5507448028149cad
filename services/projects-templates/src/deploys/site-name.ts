import { randomInt } from 'node:crypto';

const maxWordsLength = 40;
const suffixAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const suffixLength = 6;

/** Names that visitors or mail software could mistake for the platform's own. */
const reserved = new Set(
  [
    'www www1 www2 api app apps admin administrator root mail email smtp imap pop pop3 webmail mx ns ns1 ns2 ns3 dns ftp sftp ssh vpn proxy',
    'cdn static assets files media img images preview previews sites site builder dashboard embed mcp oauth auth login signin signup sso account',
    'accounts billing pay payments checkout support help docs status blog shop store news about abuse postmaster hostmaster webmaster security',
    'noreply no-reply localhost local internal test staging dev demo beta webkiln kiln analytics collect forms webhook webhooks wpad autoconfig',
    'autodiscover isatap broadcasthost',
  ].flatMap((line) => line.split(' ')),
);

export const isReservedName = (name: string): boolean => reserved.has(name);

/**
 * Derives a site's name, one DNS label (RFC 1035), from the project's name: `Café Löwe` → `cafe-lowe`. `attempt` 0
 * gives the plain name. Later attempts, reserved names and names shorter than 3 characters get a random suffix.
 */
export function siteName(projectName: string, attempt: number): string {
  const words = projectName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxWordsLength)
    .replace(/^-|-$/g, '');
  if (attempt === 0 && words.length > 2 && !reserved.has(words)) return words;
  const suffix = Array.from({ length: suffixLength }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');
  return `${words || 'site'}-${suffix}`;
}
