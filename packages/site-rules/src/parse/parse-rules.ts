import type { SiteRules } from '../rule.ts';
import type { Warning } from './rules-file.ts';
import { servedHeaders } from './served-headers.ts';
import { servedRedirects } from './served-redirects.ts';

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
