import type { Browser } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const invitationLink = /http\S+\/accept-invitation\?token=[\w.%-]+/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('an invited member signs up, joins, and sees only what the role permits', async () => {
  const ada = await owner();
  const { email, password } = new Person();
  await using agency = await Tab.open(browser, origin);
  await agency.signInAs(ada, origin);
  await agency.goTo('/members');
  await agency.page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = agency.page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('button', { name: 'Role' }).click();
  await agency.page.getByRole('option', { name: 'Viewer' }).click();
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await agency.page.getByRole('row', { name: email }).waitFor();

  await using invited = await Tab.open(browser, origin);
  const { page } = invited;
  await page.goto(await mailedLink(platform, email, invitationLink));
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ida');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await mailedLink(platform, email, verifyLink));

  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
  expect(links).toEqual(['Overview', 'Clients', 'Projects', 'Analytics', 'Templates', 'Plans', 'Webhooks', 'Agents', 'Limits']);
  await invited.goTo('/clients');
  expect(await page.getByRole('button', { name: 'Invite client' }).count()).toBe(0);
  expect(invited.browserErrors).toEqual([]);
});
