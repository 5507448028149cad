import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const run = promisify(execFile);
const timeoutMs = 180_000;
const maxAttempts = 5;
const maxReportBytes = 64 * 1024 * 1024;

const score = z.object({ score: z.number() });
const numeric = z.object({ numericValue: z.number() });
const Report = z.object({
  finalDisplayedUrl: z.string(),
  runtimeError: z.object({ message: z.string() }).optional(),
  categories: z.object({ performance: score, accessibility: score, 'best-practices': score, seo: score }),
  audits: z.object({
    'largest-contentful-paint': numeric,
    'total-blocking-time': numeric,
    'cumulative-layout-shift': numeric,
  }),
});

/** Lighthouse's scores of a page (0 to 100) and its loading metrics. */
export interface Audit {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
  readonly lcpMs: number;
  readonly tbtMs: number;
  readonly cls: number;
}

export type Device = 'mobile' | 'desktop';

/** Paths of Lighthouse and of the browser it starts. */
export interface Tools {
  readonly lighthouse: string;
  readonly chromium: string;
}

/** Audits a page in a new browser with an empty cache, as a phone on a slow network or as a desktop. */
export async function audit(url: string, device: Device, cookie: string, { lighthouse, chromium }: Tools): Promise<Audit> {
  const args = [
    path.join(lighthouse, 'cli/index.js'),
    url,
    '--quiet',
    '--output=json',
    '--only-categories=performance,accessibility,best-practices,seo',
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
  ];
  const env = { ...process.env, CHROME_PATH: chromium };
  const stdout = await report(args, env);
  const { finalDisplayedUrl, runtimeError, categories, audits } = Report.parse(JSON.parse(stdout));
  if (runtimeError !== undefined) throw new Error(runtimeError.message);
  if (finalDisplayedUrl !== url) throw new Error(`${url} redirected to ${finalDisplayedUrl}`);
  return {
    performance: categories.performance.score * 100,
    accessibility: categories.accessibility.score * 100,
    bestPractices: categories['best-practices'].score * 100,
    seo: categories.seo.score * 100,
    lcpMs: audits['largest-contentful-paint'].numericValue,
    tbtMs: audits['total-blocking-time'].numericValue,
    cls: audits['cumulative-layout-shift'].numericValue,
  };
}

/** Lighthouse's output. Chromium sometimes loses a trace (NO_NAVSTART); nothing was measured then, so it runs again. */
async function report(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await run(process.execPath, args, { env, timeout: timeoutMs, maxBuffer: maxReportBytes })).stdout;
    } catch (error) {
      if (attempt === maxAttempts || !String((error as { stderr?: unknown }).stderr).includes('NO_NAVSTART')) throw error;
    }
  }
}
