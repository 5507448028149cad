import { parseAllHeaders } from '@netlify/headers-parser';
import { type HeaderRule, rulesPaths, type SiteRules } from '../rule.ts';
import { boundedLines, inFile, problemOf, shown, type Warning } from './rules-file.ts';
import { servedRedirects } from './served-redirects.ts';

const maxLines = 1_000;
/** Each is compared with every request. */
const maxRules = 100;
const path = rulesPaths.headers;
/** Cloudflare's line that takes a header away: `! Name`. */
const removal = /^!\s*[^\s:]+$/;
const isAddress = (line: string) => /^https?:\/\//i.test(line);

/**
 * The headers that the platform alone sets: what a response is and how it is sent, cookies (sites share a domain), and
 * what keeps sites apart.
 */
const ownedByPlatform: ReadonlySet<string> = new Set([
  ...['accept-ranges', 'age', 'allow', 'alt-svc', 'connection', 'content-encoding', 'content-length', 'content-location', 'content-range'],
  ...['date', 'etag', 'keep-alive', 'last-modified', 'location', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'server'],
  ...['set-cookie', 'set-cookie2', 'status', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'vary', 'via', 'www-authenticate'],
  ...['clear-site-data', 'origin-agent-cluster', 'x-content-type-options'],
]);

/** The rules of a `_headers` that are served, and a warning for each header that is not. */
async function servedHeaders(content: Uint8Array): Promise<{ rules: HeaderRule[]; warnings: Warning[] }> {
  const { lines, warnings } = boundedLines(path, content, { maxLines });
  if (lines.length === 0) return { rules: [], warnings };
  // The parser takes an address for a header, and leaves removals out.
  const readable = lines.map((line) => (isAddress(line) ? `/${line}` : removal.test(line) ? `${line}: removed` : line));
  const { headers, errors } = await inFile(readable, (file) =>
    parseAllHeaders({ headersFiles: [file], configHeaders: [], netlifyConfigPath: undefined, minimal: true }),
  );
  for (const error of errors) warnings.push({ path, message: problemOf(error) });
  const rules: HeaderRule[] = [];
  for (const { for: from, values } of headers) {
    const refusal = refused(from);
    if (refusal !== undefined) warnings.push({ path, message: refusal });
    else if (rules.length === maxRules) {
      warnings.push({ path, message: `The file has more than ${maxRules} rules; those from "${shown(from)}" on are left out.` });
      break;
    } else rules.push({ for: decoded(from).normalize('NFC'), headers: servedOf(values, from, warnings) });
  }
  return { rules, warnings };
}

function refused(from: string): string | undefined {
  if (isAddress(from.slice(1)))
    return `The rule for "${shown(from.slice(1))}" is for a host; rules for all hosts, which begin with /, are served.`;
  return from.split('*').length > 2 ? `The rule for "${shown(from)}" has more than one *, and is left out.` : undefined;
}

function servedOf(values: Record<string, string>, from: string, warnings: Warning[]): HeaderRule['headers'] {
  const served: { name: string; value: string }[] = [];
  for (const [key, text] of Object.entries(values)) {
    const isRemoval = key.startsWith('!');
    const name = key.replace(/^!\s*/, '');
    const value = isRemoval ? '' : text;
    const problem = problemWith(name, value);
    if (problem === undefined) served.push({ name, value });
    else warnings.push({ path, message: `The header "${shown(name)}" for "${shown(from)}" ${problem}` });
  }
  return served;
}

function problemWith(name: string, value: string): string | undefined {
  if (/^basic-auth$/i.test(name)) return 'protects nothing here, and is left out: the page is public.';
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'has a name that no header can have.';
  if (ownedByPlatform.has(name.toLowerCase()) || /^x-webkiln-/i.test(name)) return 'is set by the platform alone.';
  return /^[\t\x20-\x7e]*$/.test(value) ? undefined : 'has characters that a header cannot have.';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export { maxFileBytes, type Warning } from './rules-file.ts';

const none = { rules: [], warnings: [] };

/**
 * Reads the `_redirects` and `_headers` of a site in the syntax of Netlify and Cloudflare Pages. What is not served is
 * left out and named; nothing throws.
 */
export async function parseRules(files: {
  readonly redirects: Uint8Array | undefined;
  readonly headers: Uint8Array | undefined;
}): Promise<{ rules: SiteRules; warnings: Warning[] }> {
  const redirects = files.redirects === undefined ? none : await servedRedirects(files.redirects);
  const headers = files.headers === undefined ? none : await servedHeaders(files.headers);
  return {
    rules: { redirects: redirects.rules, headers: headers.rules },
    warnings: [...redirects.warnings, ...headers.warnings],
  };
}
