/**
 * `npm run screenshots -- <folder> [<locale>]`: every page of the dashboard as the demo's owner and its client see it,
 * in light and dark theme, wide and narrow, in the language of `en-US` or another locale.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ensureDemo } from '@webkiln/dev-platform';
import type { Browser } from 'playwright-core';
import { scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { clientPages, ownerPages, signedOutPages } from '../dashboard/testing/pages.ts';
import { Tab } from '../dashboard/testing/tab.ts';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { chromiumPath, openBrowser } from '../harness/browser.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { mailedLink } from '../harness/mails.ts';
import { Person } from '../harness/person.ts';
import { activateClientUser, activationLink } from '../harness/team.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { seedDemo } from './seed-demo.ts';

const themes = ['light', 'dark'] as const;
const sizes = { 1280: { width: 1280, height: 800 }, 390: { width: 390, height: 780 } } as const;
type Appearance = { readonly locale: string; readonly colorScheme: (typeof themes)[number]; readonly viewport: (typeof sizes)[1280 | 390] };

const [, , target = '.data/screenshots', locale = 'en-US'] = process.argv;
const folder = path.resolve(target);
mkdirSync(folder, { recursive: true });
const manyRequests = { RATE_LIMIT: '100000' };
/** So that the builder offers a choice; none is asked. */
const models = { MODEL_PROVIDERS: scriptedProviders('http://127.0.0.1:1/v1') };
await using platform = await startPlatform({
  env: { ...localReceivers, ...manyRequests, ...models, LOG_LEVEL: 'warn', CHROMIUM_PATH: await chromiumPath() },
});
const { origins, addresses, sitesOrigin } = platform.facts;
const origin = origins[0] ?? '';
const exampleOrigin = 'http://127.0.0.1:3000';
const place = { dataFolder: platform.folder, origin, sitesOrigin, exampleOrigin };
const demo = await ensureDemo({ ...place, addresses, secrets: platform.platform.secrets });
const shown = await seedDemo(origin, demo);
const owner = new Person({ platform: platform.facts, email: demo.member.email });
(await owner.signIn(demo.member.password)).expect(200);
(await owner.api.patch('/account/organization', { accent_color: '#1f6f6b' })).expect(200);
(await owner.api.post('/account/build-links', { prompt: 'A site for a bakery in Lyon, warm and simple, with opening hours' })).expect(201);
// One call of an agent waits for an answer.
(await owner.api.patch('/account/agent-access', { can_build: true, ask_first_tools: ['create_client'] })).expect(200);
const given = { email: 'lea@orchard.example', name: 'Lea Alder', company: 'Orchard Cider' };
await eventually(() => new Agent(demo.api_key, { origin }).refusal('create_client', given));
const invitation = await mailedLink(platform.facts, demo.invited_client_email, activationLink);
const client = new Person({ platform: platform.facts, email: demo.client_email });
await activateClientUser(client);
await using browser = await openBrowser();
for (const colorScheme of themes) {
  for (const [width, viewport] of Object.entries(sizes)) {
    await shootOwnerPages(browser, { locale, colorScheme, viewport }, `${colorScheme}-${width}`);
    await shootClientPages(browser, { locale, colorScheme, viewport }, `${colorScheme}-${width}`);
  }
}
console.log(`written to ${folder}`);

async function shootOwnerPages(browser: Browser, appearance: Appearance, suffix: string): Promise<void> {
  await using tab = await Tab.open(browser, origin, appearance);
  await shootAll(tab, signedOutPages, suffix);
  await tab.signInAs(owner, origin);
  await shootAll(tab, { ...ownerPages(shown), builder: `/builder/${shown.projectId}` }, suffix);
}

/** The client's pages: the invitation, the dashboard, and sign-in with the remembered brand. */
async function shootClientPages(browser: Browser, appearance: Appearance, suffix: string): Promise<void> {
  await using tab = await Tab.open(browser, origin, appearance);
  await tab.page.goto(invitation);
  await shoot(tab, `client-activate-${suffix}`);
  await tab.signInAs(client, origin);
  const pages = Object.entries(clientPages(shown)).map(([name, address]) => [`client-${name}`, address]);
  await shootAll(tab, Object.fromEntries(pages), suffix);
  await tab.context.clearCookies();
  await shootAll(tab, { 'client-sign-in': '/sign-in' }, suffix);
}

async function shootAll(tab: Tab, pages: Readonly<Record<string, string>>, suffix: string): Promise<void> {
  for (const [name, address] of Object.entries(pages)) {
    await tab.goTo(address);
    await shoot(tab, `${name}-${suffix}`);
  }
}

async function shoot({ page }: Tab, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}
