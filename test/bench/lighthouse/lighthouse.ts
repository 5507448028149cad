import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromiumPath } from '../../harness/browser.ts';
import type { Bench } from '../bench.ts';
import { installPackage } from '../install-package.ts';
import { startBenchPlatform } from '../platform.ts';
import { median } from '../report.ts';
import { type Audit, audit, type Device } from './audit.ts';
import { lighthouseVersion } from './version.ts';

const port = 18_120;
const wanted = 95;
const devices: readonly Device[] = ['mobile', 'desktop'];

/** Audits the first pages that people see with Lighthouse: sign-in and the demo's overview. */
export async function benchLighthouse({ rounds, scratch, cache, log, onStop }: Bench): Promise<void> {
  log('starting the platform …');
  const dataDir = path.join(scratch, 'lighthouse');
  const platform = await startBenchPlatform(dataDir, port);
  onStop(() => platform.stop());
  const { origin } = new URL(platform.baseUrl);
  const tools = { lighthouse: installPackage(cache, 'lighthouse', lighthouseVersion), chromium: await chromiumPath() };
  const cookie = await signIn(origin, JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')).member);
  const pages = [
    { name: 'sign-in', url: `${origin}/sign-in`, cookie: '' },
    { name: 'overview', url: `${origin}/`, cookie },
  ];
  const rows = pages.flatMap((page) => devices.map((device) => ({ ...page, device, audits: [] as Audit[] })));
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    for (const row of rows) row.audits.push(await audit(row.url, row.device, row.cookie, tools));
  }
  log(
    `\n| page | performance (≥ ${wanted}) | accessibility (≥ ${wanted}) | best practices | LCP ms | TBT ms | CLS |\n|---|---|---|---|---|---|---|`,
  );
  for (const { name, device, audits } of rows) {
    const of = (figure: keyof Audit, digits = 0) => median(audits.map((each) => each[figure])).toFixed(digits);
    const scores = [of('performance'), of('accessibility'), of('bestPractices')];
    log(`| ${[`${name}, ${device}`, ...scores, of('lcpMs'), of('tbtMs'), of('cls', 3)].join(' | ')} |`);
  }
}

/** Signs in and returns the Cookie header of the new session. */
async function signIn(origin: string, { email, password }: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}
