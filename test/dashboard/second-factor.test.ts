import type { Browser, Page } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { totp } from '../harness/totp.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';
const codesRegion = 'Keep these backup codes';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Turns on the second factor through the page. Returns the backup codes shown. */
async function turnOn(page: Page, { password }: Person): Promise<string[]> {
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const key = await dialog.getByRole('region', { name: 'Key' }).textContent();
  const codes = await shownCodes(page);
  await dialog.getByLabel('Code', { exact: true }).fill(totp(`otpauth://totp/app?secret=${key}`));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  return codes;
}

test('a wrong code at turning on is said at its field; the key and backup codes stay, and the right code then works', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/account');
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(ada.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const shown = async () => [await dialog.getByRole('region', { name: 'Key' }).textContent(), await shownCodes(page)] as const;
  const before = await shown();
  const code = dialog.getByLabel('Code', { exact: true });
  await code.fill('000000');
  const sessionRead = page.waitForResponse((response) => response.url().endsWith('/account/session'));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('Wrong code.').waitFor();
  await sessionRead;
  expect(await code.getAttribute('aria-invalid')).toBe('true');
  expect(await shown()).toEqual(before);
  await code.fill(totp(`otpauth://totp/app?secret=${before[0]}`));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  expect(tab.browserErrors).toEqual([]);
});

const shownCodes = async (page: Page) => ((await page.getByRole('region', { name: codesRegion }).textContent()) ?? '').split('\n');

/** Signs in with the password and a backup code. */
async function signInBy(code: string, { email, password }: Person): Promise<Tab> {
  const tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.goTo('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Use a backup code instead' }).click();
  await page.getByLabel('Backup code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  return tab;
}

test('backup codes are shown once, can be copied, sign in without the phone, and are replaced by new ones', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/account');
  const [first = '', second = ''] = await turnOn(page, ada);

  await tab.goTo('/account');
  expect(await page.getByText(first).count()).toBe(0);
  await using home = await signInBy(first, ada);
  await home.page.getByRole('heading', { name: 'Overview' }).waitFor();

  await page.getByRole('button', { name: 'New backup codes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(ada.password);
  await dialog.getByRole('button', { name: 'New backup codes' }).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  const codes = await shownCodes(page);
  expect(codes).toHaveLength(10);
  await eventually(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe(codes.join('\n')));
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('region', { name: codesRegion }).waitFor({ state: 'detached' });

  await using late = await signInBy(second, ada);
  await late.page.getByRole('alert').getByText('Invalid backup code').waitFor();
  await using phoneless = await signInBy(codes[0] ?? '', ada);
  await phoneless.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect([tab, home, late, phoneless].flatMap(({ browserErrors }) => browserErrors)).toEqual([]);
});
