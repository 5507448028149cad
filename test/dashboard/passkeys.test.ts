import type { Browser, Locator } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { addDevice } from '../harness/virtual-authenticator.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Adds a passkey named Laptop to the signed-in account. Returns the card that lists it. */
async function addPasskey(tab: Tab): Promise<Locator> {
  await tab.goTo('/account');
  const passkeys = tab.page.getByRole('region', { name: 'Passkeys' });
  await passkeys.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await passkeys.getByRole('row', { name: 'Laptop' }).waitFor();
  return passkeys;
}

test('a passkey signs in, can be renamed, and no longer signs in once removed', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  await tab.signInAs(ada, origin);
  await addDevice(tab);

  const passkeys = await addPasskey(tab);

  const signOut = async () => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  await signOut();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await tab.goTo('/account');
  const dialog = page.getByRole('dialog');
  await passkeys.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('Phone');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await passkeys.getByRole('row', { name: 'Phone' }).getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await passkeys.getByText('No passkey yet').waitFor();

  await signOut();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('alert').getByText('This passkey opens no account here.').waitFor();
  expect(tab.browserErrors).toEqual([]);
});

/** A headless browser shows no autofill list, so conditional requests go to the authenticator directly. */
const choosesWhatIsOffered = `
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = ({ mediation, ...asked }) => (mediation === 'conditional' ? get(asked) : Promise.reject(new Error('no list')));
`;

test('a passkey chosen from autofill signs in without the button', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  await tab.signInAs(ada, origin);
  await addDevice(tab);
  await addPasskey(tab);
  await tab.context.clearCookies();
  await tab.page.addInitScript(choosesWhatIsOffered);
  await tab.page.goto('/sign-in');
  await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(tab.browserErrors).toEqual([]);
});
