/** `npm run screenshots -- <folder>`: every page of the dashboard, light and dark, wide and narrow, as the demo's owner sees it. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { demoOf } from '@webkiln/infra';
import type { Browser } from 'playwright-core';
import { ownersPages, type Shown, strangersPages } from '../dashboard/pages.ts';
import { Tab } from '../dashboard/tab.ts';
import { chromiumPath, openBrowser } from '../harness/browser.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { enliven } from './enliven.ts';

const themes = ['light', 'dark'] as const;
const sizes = { 1280: { width: 1280, height: 800 }, 390: { width: 390, height: 780 } } as const;

const folder = path.resolve(process.argv[2] ?? '.data/screenshots');
mkdirSync(folder, { recursive: true });
const manyRequests = { RATE_LIMIT: '100000' };
await using platform = await startPlatform({
  env: { ...localReceivers, ...manyRequests, LOG_LEVEL: 'warn', CHROMIUM_PATH: await chromiumPath() },
});
const { origins, addresses, sitesOrigin } = platform.facts;
const origin = origins[0] ?? '';
const demo = await demoOf({ dataFolder: platform.folder, origin, sitesOrigin, addresses, secrets: platform.platform.secrets });
const shown = await enliven(origin, demo);
await using browser = await openBrowser();
for (const colorScheme of themes) {
  for (const [width, viewport] of Object.entries(sizes)) await shoot(browser, { colorScheme, viewport }, `${colorScheme}-${width}`);
}
console.log(`written to ${folder}`);

async function shoot(browser: Browser, look: { colorScheme: 'light' | 'dark'; viewport: (typeof sizes)[1280 | 390] }, suffix: string) {
  await using tab = await Tab.open(browser, origin, look);
  await each(tab, strangersPages, suffix);
  await tab.goTo('/sign-in');
  await tab.page.getByLabel('Email').fill(demo.member.email);
  await tab.page.getByLabel('Password').fill(demo.member.password);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await each(tab, ownersPages(shown satisfies Shown), suffix);
}

async function each(tab: Tab, pages: Readonly<Record<string, string>>, suffix: string): Promise<void> {
  for (const [name, address] of Object.entries(pages)) {
    await tab.goTo(address);
    await tab.page.evaluate('document.fonts.ready');
    await tab.page.screenshot({ path: path.join(folder, `${name}-${suffix}.png`), fullPage: true });
  }
}
