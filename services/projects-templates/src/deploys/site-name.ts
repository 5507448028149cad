import { randomInt } from 'node:crypto';

/** Names that pages which steal passwords often imitate: at any place of a label, also across its hyphens. */
const anywhere = [
  'paypal amazon google microsoft office365 onedrive sharepoint facebook instagram whatsapp linkedin twitter netflix spotify dropbox docusign',
  'binance coinbase metamask ledgerwallet trustwallet mastercard americanexpress wellsfargo bankofamerica citibank jpmorgan capitalone barclays',
  'santander natwest revolutbank deutschebank commerzbank sparkasse volksbank raiffeisen postbank targobank unicredit intesasanpaolo klarna',
  'creditagricole bnpparibas societegenerale banquepostale ingdiba postfinance aliexpress mercadolibre walmart godaddy cloudflare github gitlab',
  'steamcommunity roblox playstation nintendo royalmail deutschepost vodafone verizon comcast xfinity chatgpt',
].flatMap((line) => line.split(' '));

/** Names that are too short or too ordinary for that, and words of sign-in pages: as a part between hyphens. */
const asPart = [
  'appleid icloud itunes adobe yahoo gmail hotmail ebay dhl fedex usps laposte correos telekom tmobile telegram wechat alipay cashapp venmo',
  'zelle revolut monzo n26 hsbc openai irs hmrc login logon signin signon verify verification authenticate authentication password passwort',
  'unlock webmail onlinebanking ebanking 2fa otp',
].flatMap((line) => line.split(' '));

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

/** Digits that are read as letters; 1 as either of two. */
const readings = [
  { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't' },
  { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' },
] as readonly Readonly<Record<string, string>>[];

/** The word of a brand or of sign-in pages in a label, which could deceive visitors; undefined if there is none. */
export function deceptiveWord(label: string): string | undefined {
  const texts = [label, ...readings.map((letters) => label.replace(/\d/g, (digit) => letters[digit] ?? digit))];
  const joined = texts.map((text) => text.replaceAll('-', ''));
  const parts = new Set(texts.flatMap((text) => text.split('-')));
  return anywhere.find((word) => joined.some((text) => text.includes(word))) ?? asPart.find((word) => parts.has(word));
}

/**
 * Derives a site's name, one DNS label (RFC 1035), from the project's name: `Café Löwe` → `cafe-lowe`. `attempt` 0
 * gives the plain name. Later attempts, reserved names and names shorter than 3 characters get a random suffix, and a
 * name that could deceive visitors is `site` with one.
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
  const isDeceptive = deceptiveWord(words) !== undefined;
  if (attempt === 0 && words.length > 2 && !reserved.has(words) && !isDeceptive) return words;
  const suffix = Array.from({ length: suffixLength }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');
  return `${(!isDeceptive && words) || 'site'}-${suffix}`;
}
