import type { Browser } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { noTransitions, Tab } from './testing/tab.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const prompt = 'A site for a bakery in Lyon & its <ovens>';
const link = `/build?${new URLSearchParams({ prompt })}`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('a build link leads a stranger over sign-up to a project of their own in the builder; before the click nothing is made', async () => {
  const ada = new Person();
  await using tab = await Tab.open(browser, origin, noTransitions);
  const { page } = tab;
  await tab.goTo(link);
  await page.getByText(prompt).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Agency or organization').fill('Ada bakes');
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await mailedLink(platform, ada.email, verifyLink));
  await page.getByText(prompt).waitFor();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const asked = page.getByLabel('What the site is for');
  await asked.waitFor();
  expect(await asked.inputValue()).toBe(prompt);
  (await ada.signIn()).expect(200);
  expect((await ada.api.get('/projects')).expect(200).body.projects).toEqual([]);

  await page.getByRole('button', { name: 'Build it' }).click();
  await page.waitForURL(/\/builder\/[0-9a-f-]{36}$/);
  const { projects } = (await ada.api.get('/projects')).expect(200).body;
  expect(projects).toMatchObject([{ name: prompt, org_client_id: null }]);
  expect(page.url()).toBe(`${origin}/builder/${projects[0].id}`);
});
