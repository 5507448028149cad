import type { File } from '@webkiln/contract';
import { logger, WorkerPool } from '@webkiln/runtime';
import type { Finding } from '@webkiln/site-check';
import { PathPattern, type RedirectRule, rulesPaths } from '@webkiln/site-rules';
import type { Tenant } from '@webkiln/store';
import { isServed } from '../files/file-tree.ts';
import { filesOf } from '../files/manifest-store.ts';
import { readSmallContents } from '../files/read-contents.ts';
import { siteRules } from './site-rules.ts';
import type { ReferenceCheck } from './warnings-worker.ts';

interface Warning {
  path: string;
  line?: number;
  message: string;
}

const maxWarnings = 50;
const maxTextBytes = 512 * 1024;
const maxReadBytes = 4 * 1024 * 1024;
/** No real site takes as long. One that does is published without these warnings. */
const maxCheckMs = 3_000;
const program = new URL('./warnings-worker.ts', import.meta.url);
const threads = new WorkerPool<ReferenceCheck, Finding[]>({ program, threads: 1, maxHeapMb: 128, timeoutMs: maxCheckMs });
export const closeWarningThreads = () => threads.close();

/**
 * What visitors of a deploy may miss: rules that are not served, links and assets that are not there. Empty if that
 * could not be found out: the site is live in any case.
 */
export async function publishWarnings(tenant: Tenant, manifestId: string | null): Promise<Warning[]> {
  try {
    const tree = await filesOf(tenant, manifestId);
    const { rules, warnings } = await siteRules(tenant, tree);
    const found: Warning[] = [...warnings, ...idleRules(rules.redirects, tree)];
    if (found.length < maxWarnings) found.push(...(await missingFiles(tenant, tree, rules.redirects)));
    return found.slice(0, maxWarnings);
  } catch (err) {
    logger.warn({ err, org_id: tenant.org_id }, 'a published site was not checked; its caller gets no warnings');
    return [];
  }
}

const decodedPath = (path: string): string => {
  try {
    return decodeURIComponent(path).normalize('NFC');
  } catch {
    return path;
  }
};

/** Rules for one path that a file answers before them, and those that show a file that is not there. */
function idleRules(redirects: readonly RedirectRule[], tree: readonly File[]): Warning[] {
  const paths = new Set(tree.filter(isServed).map(({ path }) => path.normalize('NFC')));
  const fileAt = (path: string) => {
    const plain = path.replace(/^\//, '').replace(/\/$/, '');
    return (plain === '' ? ['index.html'] : [plain, `${plain}.html`, `${plain}/index.html`]).find((each) => paths.has(each));
  };
  return redirects.flatMap(({ from, to, status, is_forced }) => {
    const { isStatic, text } = new PathPattern(from);
    const target = status === 200 || status === 404 ? (to.split(/[?#]/, 1)[0] ?? '') : '';
    const shownFile = target === '' ? undefined : fileAt(decodedPath(target));
    if (target !== '' && !target.includes('/:') && shownFile === undefined)
      return [{ path: rulesPaths.redirects, message: `The rule for "${from}" shows "${to}", which is no file of the site.` }];
    const own = isStatic && !is_forced ? fileAt(text) : undefined;
    if (own === undefined || own === shownFile) return [];
    const message = `The rule for "${from}" is not used, because the site has ${own}; write ${status}! to use it all the same.`;
    return [{ path: rulesPaths.redirects, message }];
  });
}

/** The pages and styles that are looked through: the first 4 MB of them. */
function readFiles(tree: readonly File[]): File[] {
  let bytesLeft = maxReadBytes;
  return tree.filter(({ path, size }) => {
    if (!/\.(?:html?|css)$/i.test(path) || size > Math.min(maxTextBytes, bytesLeft)) return false;
    bytesLeft -= size;
    return true;
  });
}

async function missingFiles(tenant: Tenant, tree: readonly File[], redirects: readonly RedirectRule[]): Promise<Warning[]> {
  const served = tree.filter(isServed);
  const contents = await readSmallContents(tenant, readFiles(served));
  const files = new Map(served.map(({ path, sha256 }) => [path, new TextDecoder().decode(contents.get(sha256))]));
  const findings = await threads.run(tenant.org_id, { files, redirects, maxFindings: maxWarnings });
  return findings.map(({ path, line, message }) => ({ path, ...(line !== undefined && { line }), message }));
}
