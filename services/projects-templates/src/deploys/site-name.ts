import { randomInt } from 'node:crypto';

const longestWords = 40;
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
const marked = 6;

/** Names that visitors or mail take for the platform's own. */
const reserved = new Set(
  [
    'www www1 www2 api app apps admin administrator root mail email smtp imap pop pop3 webmail mx ns ns1 ns2 ns3 dns ftp sftp ssh vpn proxy',
    'cdn static assets files media img images preview previews sites site builder dashboard embed mcp oauth auth login signin signup sso account',
    'accounts billing pay payments checkout support help docs status blog shop store news about abuse postmaster hostmaster webmaster security',
    'noreply no-reply localhost local internal test staging dev demo beta webkiln kiln analytics collect forms webhook webhooks wpad autoconfig',
    'autodiscover isatap broadcasthost',
  ].flatMap((line) => line.split(' ')),
);

/**
 * The name under which a project is published, as one DNS label (RFC 1035), made of the project's own name: `Café Löwe` → `cafe-lowe`.
 * `attempt` 0 is the plain name; later ones, and names that are reserved or leave nothing, are told apart by random letters.
 */
export function siteName(projectName: string, attempt: number): string {
  const words = projectName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestWords)
    .replace(/^-+|-+$/g, '');
  if (attempt === 0 && words.length > 2 && !reserved.has(words)) return words;
  const mark = Array.from({ length: marked }, () => letters[randomInt(letters.length)]).join('');
  return `${words || 'site'}-${mark}`;
}
