import type { Client } from '@webkiln/contract';
import { activeClient, makeProject, someEmail } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const activationLink = /http\S+\/activate\?token=[\w.-]+/;
const password = 'correct horse battery';

test('an invited client activates the account by a password, is in, and sees only its websites with their visits and forms, and whom to ask', async () => {
  const ada = await owner();
  (await ada.api.patch('/account/organization', { contact_email: 'hello@kiln.example' })).expect(200);
  const email = someEmail();
  await using agency = await Tab.open(browser(), origin);
  await agency.signInAs(ada, origin);
  await agency.goTo('/clients');
  await agency.page.getByRole('button', { name: 'Invite client' }).click();
  const dialog = agency.page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Name').fill('Rosa Marini');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await agency.page.getByRole('link', { name: 'Rosa Marini' }).waitFor();

  await using client = await Tab.open(browser(), origin);
  const { page } = client;
  const refused: string[] = [];
  page.on('response', (response) => void (response.status() === 403 && refused.push(response.url())));
  await page.goto(await mailedLink(platform, email, activationLink));
  await page.getByLabel('Choose a password').fill(password);
  await page.getByRole('button', { name: 'Activate account' }).click();
  await page.getByRole('heading', { name: 'No website yet' }).waitFor();

  const [rosa] = (await ada.api.get('/clients')).expect(200).body.clients;
  const project = await makeProject(ada.api, rosa, { name: 'Harbour Bakery' });
  const other = await makeProject(ada.api, await activeClient(ada.api), { name: 'Fern & Stone' });

  await client.goTo('/');
  await page.getByRole('heading', { name: 'Harbour Bakery' }).waitFor();
  const parts = page.getByRole('main').getByRole('heading', { level: 2 });
  await eventually(async () => expect(await parts.allInnerTexts()).toEqual(['Harbour Bakery', 'Questions or wishes?', 'Monthly report']));
  // Another tab of the client shows what was saved.
  const report = page.getByRole('switch', { name: 'Mail me each month' });
  expect(await report.isChecked()).toBe(true);
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByText('Mail me each month').click();
  expect((await saved).status()).toBe(200);
  await page.reload();
  await report.and(page.locator(':not(:checked)')).waitFor({ state: 'attached' });
  expect(await page.getByRole('link', { name: 'hello@kiln.example' }).getAttribute('href')).toBe('mailto:hello@kiln.example');
  const items = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await eventually(async () => expect(await items.allInnerTexts()).toEqual(['Your websites', 'Analytics', 'Billing']));

  const { url } = (await ada.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
  await page.reload();
  expect(await page.getByRole('link', { name: 'Open website' }).getAttribute('href')).toBe(url);
  await page.getByRole('link', { name: 'No visitors in the last 30 days' }).waitFor();
  await page.getByRole('link', { name: 'Details, Harbour Bakery' }).click();
  await page.getByRole('heading', { name: 'Harbour Bakery' }).waitFor();
  await client.waitUntilLoaded();
  await page.getByRole('link', { name: 'Submissions' }).click();
  await page.getByRole('heading', { name: 'No submissions yet' }).waitFor();
  await page.getByRole('button', { name: 'Notifications' }).waitFor();
  await client.goTo('/analytics');
  await page.getByRole('button', { name: 'CSV' }).waitFor();
  expect(refused).toEqual([]);
  await page.goto(`/projects/${other.id}`);
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(client.browserErrors).toEqual([]);
});

test('the sign-in page tells a suspended client whom to ask', async () => {
  const ada = await owner();
  const { person, client } = await clientUser(ada);
  (await ada.api.patch(`/clients/${client.id}`, { status: 'suspended' })).expect(200);
  await eventually(async () => (await person.api.get('/projects')).expect(401, 'invalid_session'));
  await using tab = await Tab.open(browser(), origin);
  await tab.signInAs(person, origin);
  await tab.goTo('/projects');
  const { page } = tab;
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText(`Your access is paused. Ask Studio ${ada.email}.`).waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('a concurrent change is not overwritten: the form reports it and shows the current values', async () => {
  const ada = await owner();
  const { id } = await activeClient(ada.api, { name: 'Rosa' });
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo(`/clients/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Rosa by the first');
  (await ada.api.patch(`/clients/${id}`, { name: 'Rosa by the second' })).expect(200);
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.getByText('The record was changed meanwhile').waitFor();
  await eventually(async () => expect(await dialog.getByLabel('Name').inputValue()).toBe('Rosa by the second'));
  await dialog.getByLabel('Company').fill('Harbour Bakery');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await ada.api.get(`/clients/${id}`)).body.client).toMatchObject({ name: 'Rosa by the second', company: 'Harbour Bakery' });
});

test('Ctrl K finds a page, a project, a client and a request, by keyboard alone; a client finds nothing of the agency', async () => {
  const ada = await owner();
  const { person, client } = await clientUser(ada);
  const project = await makeProject(ada.api, client, { name: 'Fern & Stone' });
  const id = (await ada.api.get('/projects')).headers.get('x-request-id');
  await using tab = await Tab.open(browser(), origin);
  await tab.signInAs(ada, origin);
  await tab.goTo('/');
  const { page } = tab;
  const results = page.getByRole('menu', { name: 'Results' });
  const search = async (text: string, found: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'Search everything' }).fill(text);
    await results.getByRole('menuitem', { name: found }).waitFor();
    await results.getByRole('menuitem').nth(1).waitFor({ state: 'detached' });
  };
  for (const [text, found, address] of [
    ['webhook', 'Webhooks', '/webhooks'],
    ['fern', 'Fern & Stone', `/projects/${project.id}`],
    [client.email.toUpperCase(), client.email, `/clients/${client.id}`],
    [`${id}`, `Request ID ${id}`, `/requests/${id}`],
  ] as const) {
    await search(text, found);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${address}`);
  }
  await search('fern', 'Fern & Stone');
  expect(await accessibilityViolations(tab)).toEqual([]);
  await page.keyboard.press('Escape');
  await results.waitFor({ state: 'detached' });
  expect(tab.browserErrors).toEqual([]);

  await using theirs = await Tab.open(browser(), origin);
  await theirs.signInAs(person, origin);
  await theirs.goTo('/');
  await theirs.page.keyboard.press('Control+k');
  await theirs.page.getByRole('searchbox').fill('e');
  const found = theirs.page.getByRole('menuitem');
  await eventually(async () => expect((await found.allInnerTexts()).toSorted()).toEqual(['Fern & Stone', 'Your websites']));
});

test('a project of the agency is handed over to a client on its page', async () => {
  const ada = await owner();
  const project = await makeProject(ada.api, { email: ada.email } as Client, { name: 'Harbour Bakery' });
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo(`/projects/${project.id}`);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Hand over' }).click();
  await dialog.getByText('No other client has activated their account yet.').waitFor();
  await page.keyboard.press('Escape');
  const rosa = await activeClient(ada.api, { name: 'Rosa Marini' });
  await tab.goTo(`/projects/${project.id}`);
  await page.getByRole('button', { name: 'Hand over' }).click();
  await dialog.getByRole('button', { name: 'Rosa Marini' }).waitFor();
  await dialog.getByRole('button', { name: 'Hand over' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Rosa Marini').waitFor();
  expect((await ada.api.get(`/projects/${project.id}`)).expect(200).body.project.org_client_id).toBe(rosa.id);
  expect(tab.browserErrors).toEqual([]);
});
