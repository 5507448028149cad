import type { Browser } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { linkTo } from '../harness/mails.ts';
import { owner, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './tab.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('an address is changed by the password, a link to the old one and a link to the new one; the page says what comes next', async () => {
  const ada = await owner();
  const newEmail = `new+${ada.email}`;
  const signUpLink = await linkTo(platform, ada.email, verifyLink);
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.actAs(ada, origin);
  await tab.goTo('/account');
  const card = page.getByRole('region', { name: 'Email' });
  await card.getByLabel('New email').fill(newEmail);
  await card.getByLabel('Your password').fill('wrong password');
  await card.getByRole('button', { name: 'Change email' }).click();
  await card.getByText('Invalid password').waitFor();
  await card.getByLabel('Your password').fill(ada.password);
  await card.getByRole('button', { name: 'Change email' }).click();
  await card.getByText(`We sent a link to ${ada.email}.`).waitFor();

  const first = await linkTo(platform, ada.email, verifyLink, signUpLink);
  await page.goto(first);
  await card.getByText(`Almost done: follow the link that we sent to ${newEmail}.`).waitFor();
  await page.goto(await linkTo(platform, newEmail, verifyLink));
  await card.getByText(`You sign in as ${newEmail} from now on.`).waitFor();
  await page.goto(first);
  await card.getByText('This link is used or has run out.').waitFor();
  expect(tab.complaints).toEqual([]);
});
