import type { Locator, Page } from 'playwright-core';
import { nextPath } from '../../dashboard/src/sign-in/next-path.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { changeLink, confirmLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { totp } from '../harness/totp.ts';
import { addDevice } from '../harness/virtual-authenticator.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('a new account', () => {
  test('is in its dashboard after sign-up and the one button behind the mailed link', async () => {
    const { email, password } = new Person();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.goTo('/sign-up?next=/keys');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Agency or organization').fill('Kiln Studio');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(`We sent a link to ${email}.`).waitFor();
    const link = await mailedLink(platform, email, confirmLink);
    await page.goto(link);
    await page.getByText(`This confirms ${email} and signs you in.`).waitFor();
    await page.getByRole('button', { name: 'Confirm and sign in' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByText('Kiln Studio').first().waitFor();

    await using late = await Tab.open(browser(), origin);
    await late.page.goto(link);
    await late.page.getByRole('button', { name: 'Confirm and sign in' }).click();
    await late.page.getByText('Your address is confirmed already.').waitFor();
    await late.page.getByRole('link', { name: 'Sign in' }).click();
    await late.page.getByLabel('Email').fill(email);
    await late.page.getByLabel('Password').fill(password);
    await late.page.getByRole('button', { name: 'Sign in' }).click();
    await late.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect([...tab.browserErrors, ...late.browserErrors]).toEqual([]);
  });

  test('whose link has run out or is incomplete is told what to do', async () => {
    await using tab = await Tab.open(browser(), origin);
    await tab.goTo('/confirm-email?token=unknown');
    await tab.page.getByRole('button', { name: 'Confirm and sign in' }).click();
    await tab.page.getByText('This link is invalid or has expired.').waitFor();
    await tab.goTo('/confirm-email');
    await tab.page.getByText('This link is invalid or has expired.').waitFor();
  });
});

test('pages follow the browser’s language before sign-in, and then the account’s, which its page changes for mails, too', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser(), origin, { locale: 'de-AT' });
  const { page } = tab;
  const shownIn = () => page.evaluate('document.documentElement.lang');
  await tab.goTo('/sign-in?next=/account');
  expect(await shownIn()).toBe('de');
  await page.getByLabel('E-Mail').fill(ada.email);
  await page.getByLabel('Passwort').fill('wrong password');
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByText('E-Mail oder Passwort ist falsch.').waitFor();
  await page.getByLabel('Passwort').fill(ada.password);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
  expect((await ada.api.get('/account/session')).body.account.language).toBe('de');
  await page.getByRole('button', { name: /Deutsch/ }).click();
  await page.getByRole('option', { name: 'Français' }).click();
  await page.getByRole('heading', { name: 'Votre compte' }).waitFor();
  expect(await shownIn()).toBe('fr');

  // Another browser has the language of the account once it is signed in.
  await using other = await Tab.open(browser(), origin, { locale: 'en-US' });
  await other.signInAs(ada, origin);
  await other.page.goto('/account');
  await other.page.getByRole('heading', { name: 'Votre compte' }).waitFor();
  await other.page.goto('/forgot-password');
  await other.page.getByLabel('E-mail').fill(ada.email);
  await other.page.getByRole('button', { name: 'Envoyer le lien' }).click();
  const mail = await eventually(() => {
    const found = mailsTo(platform, ada.email).find((text) => text.includes('/reset-password?token='));
    if (found === undefined) throw new Error('no mail yet');
    return found;
  });
  expect(mail).toContain('Subject: Choisissez un nouveau mot de passe');
  expect(mail).toContain('<html lang="fr">');
  expect([...tab.browserErrors, ...other.browserErrors]).toEqual([]);
});

describe('the email', () => {
  test('changing the email takes the password and a link to each address; the page says what comes next', async () => {
    const ada = await owner();
    const newEmail = `new+${ada.email}`;
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await tab.goTo('/account');
    const card = page.getByRole('region', { name: 'Email' });
    await card.getByLabel('New email').fill(newEmail);
    await card.getByLabel('Your password').fill('wrong password');
    await card.getByRole('button', { name: 'Change email' }).click();
    await card.getByText('Invalid password').waitFor();
    await card.getByLabel('Your password').fill(ada.password);
    await card.getByRole('button', { name: 'Change email' }).click();
    await card.getByText(`We sent a link to ${ada.email}.`).waitFor();

    const first = await mailedLink(platform, ada.email, changeLink);
    await page.goto(first);
    await card.getByText(`Almost done: follow the link that we sent to ${newEmail}.`).waitFor();
    await page.goto(await mailedLink(platform, newEmail, changeLink));
    await card.getByText(`You sign in as ${newEmail} from now on.`).waitFor();
    await page.goto(first);
    await card.getByText('This link has expired or was already used.').waitFor();
    expect(tab.browserErrors).toEqual([]);
  });

  test('a link to an address that another account took meanwhile says so', async () => {
    const [ada, bob] = await Promise.all([owner(), owner()]);
    const newEmail = `new+${ada.email}`;
    const callbackURL = `/account?${new URLSearchParams({ new_email: newEmail })}`;
    for (const person of [ada, bob]) {
      (await person.auth('/change-email', { newEmail, password: person.password, callbackURL })).expect(200);
      (await person.auth(await mailedLink(platform, person.email, changeLink))).expect(302);
    }
    const [adas = '', bobs = ''] = await eventually(async () => {
      const links = mailsTo(platform, newEmail).flatMap((mail) => changeLink.exec(mail)?.[0] ?? []);
      if (links.length < 2) throw new Error('not both mails are there');
      return links;
    });
    (await new Person().auth(adas)).expect(302);
    await using tab = await Tab.open(browser(), origin);
    // Either account may win the race; the other one sees the message.
    const loser = (await ada.api.get('/account/session')).body.account.email === newEmail ? bob : ada;
    await tab.signInAs(loser, origin);
    await tab.page.goto(bobs);
    await tab.page.getByText(`${newEmail} belongs to another account by now.`).waitFor();
    await tab.page.getByText(loser.email).first().waitFor();
  });
});

describe('passkeys', () => {
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
    await using tab = await Tab.open(browser(), origin);
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
    await using tab = await Tab.open(browser(), origin);
    await tab.signInAs(ada, origin);
    await addDevice(tab);
    await addPasskey(tab);
    await tab.context.clearCookies();
    await tab.page.addInitScript(choosesWhatIsOffered);
    await tab.page.goto('/sign-in');
    await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(tab.browserErrors).toEqual([]);
  });
});

describe('a second factor', () => {
  const codesRegion = 'Keep these backup codes';

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
    await using tab = await Tab.open(browser(), origin);
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
    const tab = await Tab.open(browser(), origin);
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
    await using tab = await Tab.open(browser(), origin);
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
});

describe('the way back', () => {
  const opened = (next: string) => nextPath(new URLSearchParams({ next }));

  test.each(['/', '/projects?status=live#top', '/accept-invitation?token=a'])('%j is opened after sign-in', (next) => {
    expect(opened(next)).toBe(next);
  });

  test.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
  ])('%j leads to the home page, never to another host', (next) => {
    expect(opened(next)).toBe('/');
  });
});
