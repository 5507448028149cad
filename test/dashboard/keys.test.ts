import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { openBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { newMember } from '../harness/team.ts';
import { Tab } from './testing/tab.ts';

const inShell = promisify(execFile);
const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Runs a curl command in a shell. Returns the JSON that it prints. */
const runCurl = async (request: string) => JSON.parse((await inShell('sh', ['-c', `${request} --silent`])).stdout);

test('a new user verifies the email, creates a key that works in the shown request, and revokes it so that it is refused', async () => {
  const { email, password } = new Person();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;

  await tab.goTo('/sign-up');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Agency or organization').fill('Kiln Studio');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();

  await page.goto(await mailedLink(platform, email, verifyLink));
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Importer');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = (await page.getByRole('region', { name: 'Key' }).textContent()) ?? '';
  const request = (await page.getByRole('region', { name: 'Text to copy' }).textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();

  const api = new Api(`${origin}/api/v1`, secret);
  expect(await runCurl(request)).toMatchObject({ projects: [], total: 0 });
  (await api.post('/plans', { name: 'Care', price: 1 })).expect(403, 'permission_missing');

  await page.getByRole('row', { name: 'Importer' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_key'));
  expect(await runCurl(request)).toMatchObject({ code: 'invalid_key' });
  await page.getByRole('row', { name: 'Importer' }).waitFor({ state: 'detached' });
  expect(tab.browserErrors).toEqual([]);
});

test('a member has the buttons of the keys that it may rotate and revoke, and none of keys that may do more', async () => {
  const boss = await owner();
  const developer = await newMember(boss, 'developer');
  const make = async ({ api }: Person, name: string) =>
    (await api.post('/account/keys', { name, permissions: ['read', 'write'] })).expect(201).body.key.id as string;
  const ofOwner = await make(boss, 'Of the owner');
  await make(developer, 'Of the developer');
  (await developer.api.post(`/account/keys/${ofOwner}/rotate`, {})).expect(403);
  const buttonsOf = async (person: Person, name: string) => {
    await using tab = await Tab.open(browser, origin);
    await tab.signInAs(person, origin);
    await tab.goTo('/keys');
    const row = tab.page.getByRole('row', { name });
    await row.waitFor();
    return await row.getByRole('button').allTextContents();
  };
  expect(await buttonsOf(developer, 'Of the owner')).toEqual([]);
  expect(await buttonsOf(developer, 'Of the developer')).toEqual(['Rotate', 'Revoke']);
  expect(await buttonsOf(boss, 'Of the developer')).toEqual(['Rotate', 'Revoke']);
});
