import { parseAllRedirects } from '@netlify/redirect-parser';
import * as z from 'zod';
import { type RedirectRule, rulesPaths } from '../rule.ts';
import { boundedLines, inFile, problemOf, shown, type Warning } from './rules-file.ts';

const maxRules = 2_000;
/** Each is compared with every request that no file answers. */
const maxDynamicRules = 200;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const path = rulesPaths.redirects;

const ParsedRedirect = z.object({
  from: z.string(),
  path: z.string(),
  host: z.string().optional(),
  scheme: z.string().optional(),
  to: z.string(),
  status: z.number().optional(),
  force: z.boolean(),
  query: z.record(z.string(), z.string().optional()),
  conditions: z.record(z.string(), z.unknown()),
  signed: z.unknown().optional(),
});
type ParsedRedirect = z.infer<typeof ParsedRedirect>;

/** The rules of a `_redirects` that are served, and a warning for each that is not. */
export async function servedRedirects(content: Uint8Array): Promise<{ rules: RedirectRule[]; warnings: Warning[] }> {
  const { lines, warnings } = boundedLines(path, content, { maxLines: maxRules });
  if (lines.length === 0) return { rules: [], warnings };
  const { redirects, errors } = await inFile(lines, (file) =>
    parseAllRedirects({ redirectsFiles: [file], configRedirects: [], minimal: false }),
  );
  for (const error of errors) warnings.push({ path, message: problemOf(error) });
  const rules: RedirectRule[] = [];
  let dynamic = 0;
  for (const redirect of z.array(ParsedRedirect).parse(redirects)) {
    const rule = served(redirect);
    if (typeof rule === 'string') warnings.push({ path, message: `The rule for "${shown(redirect.from)}" ${rule}` });
    else if (isDynamic(rule) && ++dynamic > maxDynamicRules) {
      if (dynamic === maxDynamicRules + 1)
        warnings.push({
          path,
          message: `The rules with * or :names are more than ${maxDynamicRules}; those from "${shown(rule.from)}" on are left out.`,
        });
    } else rules.push(rule);
  }
  return { rules, warnings };
}

const isDynamic = ({ from }: RedirectRule) => /\*|\/:/.test(from);

/** The rule as it is served, or why it is not. */
function served({
  path: fromPath,
  host = '',
  scheme,
  to,
  status = 301,
  force,
  query,
  conditions,
  signed,
}: ParsedRedirect): RedirectRule | string {
  const [condition] = Object.keys(conditions);
  if (condition !== undefined) return `has the condition "${shown(condition)}", which is not served; the rule is left out.`;
  if (signed !== undefined) return 'asks for signed requests, which are not served; it is left out.';
  const isRewrite = status === 200 || status === 404;
  if (!isRewrite && !redirectStatuses.has(status)) return `has the status ${status}; use 200, 301, 302, 303, 307, 308 or 404.`;
  if (fromPath.split('*').length > 2) return 'has more than one *, and is left out.';
  const origin = /^https?:\/\/[^/?#]*/.exec(to)?.[0] ?? '';
  if (isRewrite && origin !== '') return 'shows what another host sends, which is not served; use a redirect, for example with 302.';
  if (/^\/\.netlify\/|^\/cdn-cgi\//.test(to)) return 'leads to a function of another host, which is not there.';
  const target = origin === '' ? '' : fixedOrigin(origin);
  if (target === undefined) return 'leads to a host that its visitors could choose, or to none; write the host out.';
  if (scheme === 'http' && target === `https://${host}`) return 'only changes http to https, which the server before the site does.';
  return {
    from: decodedPath(fromPath).normalize('NFC'),
    host: host.toLowerCase().replace(/:\d+$/, ''),
    to: target + to.slice(origin.length).replace(/[^\x21-\x7e]+/g, encodeURIComponent),
    status,
    is_forced: force,
    query: Object.entries(query).map(([name, value = '']) => ({ name, value })),
  };
}

/** The origin in ASCII. Undefined if a part of it is a placeholder, a user or not valid. */
function fixedOrigin(text: string): string | undefined {
  const url = /[@*]|\/:|:[A-Za-z_]/.test(text.replace(/^https?:/, '')) ? null : URL.parse(text);
  return url === null ? undefined : url.origin;
}

function decodedPath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
