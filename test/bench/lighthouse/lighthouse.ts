import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromiumPath } from '../../harness/browser.ts';
import { mailedLink } from '../../harness/mails.ts';
import { activationLink } from '../../harness/team.ts';
import type { Bench } from '../bench.ts';
import { installPackage } from '../install-package.ts';
import { startBenchPlatform } from '../platform.ts';
import { median } from '../report.ts';
import { type Audit, audit, type Device } from './audit.ts';
import { lighthouseVersion } from './version.ts';

const port = 18_120;
const wanted = 95;
const devices: readonly Device[] = ['mobile', 'desktop'];

/** Audits pages of the dashboard and the docs with Lighthouse, as the demo's owner, its client and anybody see them. */
export async function benchLighthouse({ rounds, scratch, cache, log, onStop }: Bench): Promise<void> {
  log('starting the platform …');
  const dataDir = path.join(scratch, 'lighthouse');
  const platform = await startBenchPlatform(dataDir, port);
  onStop(() => platform.stop());
  const { origin } = new URL(platform.baseUrl);
  const tools = { lighthouse: installPackage(cache, 'lighthouse', lighthouseVersion), chromium: await chromiumPath() };
  const demo = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'));
  const cookie = await signIn(origin, demo.member);
  const ofClient = await signIn(origin, await activatedClient(dataDir, origin, demo.client_email));
  const pages = [
    { name: 'sign-in', url: `${origin}/sign-in`, cookie: '' },
    { name: 'overview', url: `${origin}/`, cookie },
    { name: 'project', url: `${origin}/projects/${demo.project_id}`, cookie },
    { name: 'builder', url: `${origin}/builder/${demo.project_id}`, cookie },
    { name: 'portal', url: `${origin}/`, cookie: ofClient },
    { name: 'docs', url: `${origin}/docs`, cookie: '' },
    { name: 'docs, a guide', url: `${origin}/docs/webhooks`, cookie: '' },
    { name: 'docs, the API', url: `${origin}/docs/reference/projects`, cookie: '' },
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

/** The demo's client, who has followed its invitation and chosen a password. */
async function activatedClient(dataDir: string, origin: string, email: string): Promise<{ email: string; password: string }> {
  const link = new URL(await mailedLink({ mailFolder: path.join(dataDir, 'mail') }, email, activationLink));
  const password = 'correct horse battery';
  const response = await fetch(new URL('/activate', origin), {
    method: 'POST',
    body: new URLSearchParams({ token: link.searchParams.get('token') ?? '', password }),
  });
  if (!response.ok) throw new Error(`the client's invitation was not accepted: ${response.status}`);
  return { email, password };
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
