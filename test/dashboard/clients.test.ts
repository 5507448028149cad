import type { Client } from '@webkiln/contract';
import { activeClient, makeProject, someEmail } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const activationLink = /http\S+\/activate\?token=[\w.-]+/;
const password = 'correct horse battery';

test('an invited client activates the account, signs in, and sees only its projects with their forms and analytics', async () => {
  const ada = await owner();
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
  await page.getByRole('heading', { name: 'Your account is active' }).waitFor();

  const [rosa] = (await ada.api.get('/clients')).expect(200).body.clients;
  await makeProject(ada.api, rosa, { name: 'Harbour Bakery' });
  const other = await makeProject(ada.api, await activeClient(ada.api), { name: 'Fern & Stone' });

  await client.goTo('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Harbour Bakery' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()).toEqual([
    'Projects',
    'Analytics',
    'Billing',
  ]);

  await page.getByRole('link', { name: 'Harbour Bakery' }).click();
  await page.getByRole('heading', { name: 'Harbour Bakery' }).waitFor();
  await client.waitUntilLoaded();
  await page.getByRole('link', { name: 'Submissions' }).click();
  await page.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor();
  await page.getByRole('button', { name: 'Notifications' }).waitFor();
  await client.goTo('/analytics');
  await page.getByRole('button', { name: 'CSV' }).waitFor();
  expect(refused).toEqual([]);
  await page.goto(`/projects/${other.id}`);
  await page.getByText('No project with this id in your organization.').first().waitFor();
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
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Rosa by the second');
  await dialog.getByLabel('Company').fill('Harbour Bakery');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await ada.api.get(`/clients/${id}`)).body.client).toMatchObject({ name: 'Rosa by the second', company: 'Harbour Bakery' });
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
