import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const run = promisify(execFile);
const withinMs = 180_000;
const tries = 5;
const longestReport = 64 * 1024 * 1024;

const score = z.object({ score: z.number() });
const numeric = z.object({ numericValue: z.number() });
const Report = z.object({
  finalDisplayedUrl: z.string(),
  runtimeError: z.object({ message: z.string() }).optional(),
  categories: z.object({ performance: score, accessibility: score, 'best-practices': score }),
  audits: z.object({
    'largest-contentful-paint': numeric,
    'total-blocking-time': numeric,
    'cumulative-layout-shift': numeric,
  }),
});

/** What Lighthouse thinks of a page: scores of 0 to 100, and what a person waits for. */
export interface Audit {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly lcpMs: number;
  readonly tbtMs: number;
  readonly cls: number;
}

export type Device = 'mobile' | 'desktop';

/** Where Lighthouse is, and the browser that it opens. */
export interface Tools {
  readonly lighthouse: string;
  readonly chromium: string;
}

/** Loads a page in a browser of its own, with nothing kept, as a phone on a slow network or as a desktop, and judges it. */
export async function audit(url: string, device: Device, cookie: string, { lighthouse, chromium }: Tools): Promise<Audit> {
  const args = [
    path.join(lighthouse, 'cli/index.js'),
    url,
    '--quiet',
    '--output=json',
    '--only-categories=performance,accessibility,best-practices',
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
  ];
  const env = { ...process.env, CHROME_PATH: chromium };
  const stdout = await report(args, env);
  const { finalDisplayedUrl, runtimeError, categories, audits } = Report.parse(JSON.parse(stdout));
  if (runtimeError !== undefined) throw new Error(runtimeError.message);
  if (finalDisplayedUrl !== url) throw new Error(`${url} led to ${finalDisplayedUrl}`);
  return {
    performance: categories.performance.score * 100,
    accessibility: categories.accessibility.score * 100,
    bestPractices: categories['best-practices'].score * 100,
    lcpMs: audits['largest-contentful-paint'].numericValue,
    tbtMs: audits['total-blocking-time'].numericValue,
    cls: audits['cumulative-layout-shift'].numericValue,
  };
}

/** Lighthouse's words. Chromium loses a trace now and then, and Lighthouse asks to be run again: nothing was measured then. */
async function report(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  for (let tried = 1; ; tried++) {
    try {
      return (await run(process.execPath, args, { env, timeout: withinMs, maxBuffer: longestReport })).stdout;
    } catch (error) {
      if (tried === tries || !String((error as { stderr?: unknown }).stderr).includes('NO_NAVSTART')) throw error;
    }
  }
}
