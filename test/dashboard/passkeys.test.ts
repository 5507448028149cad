import type { Browser, CDPSession, Locator } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Gives the tab a device that keeps passkeys, and unlocks it whenever it is asked. */
async function addDevice({ context, page }: Tab): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Adds a passkey named Laptop to the account that is signed in; gives the card that lists it. */
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

test('who adds a passkey signs in by it, renames it, and signs in no more by one that is removed', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  await tab.actAs(ada, origin);
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
  expect(tab.complaints).toEqual([]);
});

/** A browser without a window shows no list to choose from: what is asked for by way of it is asked of the device at once. */
const choosesWhatIsOffered = `
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = ({ mediation, ...asked }) => (mediation === 'conditional' ? get(asked) : Promise.reject(new Error('no list')));
`;

test('where the browser fills in the address it offers the passkey, which signs in without the button', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  await tab.actAs(ada, origin);
  await addDevice(tab);
  await addPasskey(tab);
  await tab.context.clearCookies();
  await tab.page.addInitScript(choosesWhatIsOffered);
  await tab.page.goto('/sign-in');
  await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(tab.complaints).toEqual([]);
});
