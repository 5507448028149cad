import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { confirmLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const prompt = 'A site for a bakery in Lyon & its <ovens>';

test('a build link leads a stranger over sign-up to a site of their own that is live; before the click nothing is made', async () => {
  const ada = new Person();
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.goTo(`/build?${new URLSearchParams({ prompt })}`);
  await page.getByText(prompt).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  await signUpAndIn(tab, ada, 'Ada bakes');
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

  await page.getByRole('button', { name: 'See changes' }).waitFor();
  await page.getByRole('tab', { name: 'Publish' }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: 'Your site is live' }).waitFor();
  const { published_url } = (await ada.api.get(`/projects/${projects[0].id}`)).expect(200).body.project;
  await page.goto(published_url);
  await page.getByText('Lyon').first().waitFor();
});

test('a new owner comes from the overview to a live site of the agency, alone and without inviting anybody', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/');
  await page.getByText('0 of 5').waitFor();
  await page.getByRole('button', { name: 'Describe it' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: `Studio ${ada.email} (your agency)` }).waitFor();
  await dialog.getByLabel('Name').fill('Brandt Coffee');
  await dialog.getByRole('button', { name: 'Café' }).click();
  expect(await dialog.getByLabel('What the site is for').inputValue()).toContain('café');
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect((await ada.api.get('/clients')).expect(200).body.clients).toEqual([]);
  await dialog.getByRole('button', { name: 'Create and build' }).click();

  await page.waitForURL(/\/builder\/[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'See changes' }).waitFor();
  await page.getByRole('tab', { name: 'Publish' }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: 'Your site is live' }).waitFor();
  const [client, ...others] = (await ada.api.get('/clients')).expect(200).body.clients;
  expect([client, others]).toMatchObject([{ email: ada.email, name: `Studio ${ada.email}`, status: 'active' }, []]);
  const [project] = (await ada.api.get('/projects')).expect(200).body.projects;
  expect(project).toMatchObject({ name: 'Brandt Coffee', org_client_id: client.id });
  await page.goto(project.published_url);
  await page.getByText('Brandt Coffee').first().waitFor();

  await tab.goTo('/');
  await page.getByText('2 of 5').waitFor();
  await page.getByRole('button', { name: 'Hide getting started' }).click();
  await tab.goTo('/');
  await page.getByText('Recent projects').waitFor();
  expect(await page.getByText('2 of 5').count()).toBe(0);
  expect(tab.browserErrors).toEqual([]);
});

test('a link that lets people join makes a stranger a client of the agency at the click, with a site in the builder', async () => {
  const [ada, boss] = [new Person(), await ownerWithDefaultPlan()];
  const { build_link } = (await boss.api.post('/account/build-links', { prompt, allows_joining: true })).expect(201).body;
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.goTo(`/build?l=${build_link.id}`);
  await page.getByText(prompt).waitFor();
  await page.getByText(`Studio ${boss.email}`).first().waitFor();
  await signUpAndIn(tab, ada);
  await page.getByText(`your click makes you a client of Studio ${boss.email}`).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect((await boss.api.get('/clients')).expect(200).body.clients).toEqual([]);

  await page.getByRole('button', { name: 'Build it' }).click();
  await page.waitForURL(/\/builder\/[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'See changes' }).waitFor();
  const [client] = (await boss.api.get('/clients')).expect(200).body.clients;
  expect(client).toMatchObject({ email: ada.email, status: 'active' });
  expect((await boss.api.get(`/clients/${client.id}/joining`)).expect(200).body).toEqual({ build_link_id: build_link.id });
  const { projects } = (await boss.api.get('/projects')).expect(200).body;
  expect(projects).toMatchObject([{ name: prompt, org_client_id: client.id }]);
});

test('a link that lets nobody join is for clients: it offers no sign-up, and refuses the click of somebody else', async () => {
  const [ada, boss] = [await owner(), await owner()];
  const { build_link } = (await boss.api.post('/account/build-links', { prompt })).expect(201).body;
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.goTo(`/build?l=${build_link.id}`);
  await page.getByText(`This link is for clients of Studio ${boss.email}`).waitFor();
  expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
  await tab.signInAs(ada, origin);
  await tab.goTo(`/build?l=${build_link.id}`);
  await page.getByRole('button', { name: 'Build it' }).click();
  await page.getByText('This link makes nobody a client').waitFor();
  expect((await boss.api.get('/clients')).expect(200).body.clients).toEqual([]);
});

async function ownerWithDefaultPlan(): Promise<Person> {
  const boss = await owner();
  const { plan } = (await boss.api.post('/plans', { name: 'Studio', price: 9 })).expect(201).body;
  (await boss.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
  return boss;
}

/** From the page of a link; `organization` where the link leads to one of the person's own. */
async function signUpAndIn({ page }: Tab, person: Person, organization?: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ada');
  if (organization === undefined) expect(await page.getByLabel('Agency or organization').count()).toBe(0);
  else await page.getByLabel('Agency or organization').fill(organization);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await mailedLink(platform, person.email, confirmLink));
  await page.getByRole('button', { name: 'Confirm and sign in' }).click();
}

test('members make, copy and delete build links; a deleted one says so', async () => {
  const boss = await owner();
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(boss, origin);
  await tab.goTo('/embedding');
  await page.getByRole('heading', { name: 'No build links yet' }).waitFor();
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByLabel('What the site is for').fill(prompt);
  await page.getByRole('dialog').getByRole('button', { name: 'Make a link' }).click();
  await page.getByRole('button', { name: 'Copy link' }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  const [link] = (await boss.api.get('/account/build-links')).expect(200).body.build_links;
  expect(link.prompt).toBe(prompt);
  await page.getByRole('button', { name: 'Delete' }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No build links yet' }).waitFor();
  await tab.goTo(`/build?l=${link.id}`);
  await page.getByText('This build link has expired or was deleted').waitFor();
});

test('the switch of a build link lets people join, and says what is missing where there is no default plan', async () => {
  const boss = await owner();
  const { build_link } = (await boss.api.post('/account/build-links', { prompt })).expect(201).body;
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(boss, origin);
  await tab.goTo('/embedding');
  const letJoin = page.getByRole('switch', { name: 'People who open this link may become clients' });
  const toggle = page.locator('label.switch', { has: letJoin });
  await toggle.click();
  await page.getByText('once one of your plans is the default').waitFor();
  expect(await letJoin.isChecked()).toBe(false);
  (await boss.api.post('/plans', { name: 'Studio', price: 9 })).expect(201);
  await tab.goTo('/plans');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('Make it the default plan').click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tab.goTo('/embedding');
  await toggle.click();
  await page.locator('label.switch[data-selected]', { has: letJoin }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect((await boss.api.get('/account/build-links')).expect(200).body.build_links).toMatchObject([
    { id: build_link.id, allows_joining: true },
  ]);

  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByLabel('What the site is for').fill('A second one');
  await page.getByRole('dialog').locator('label.switch').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make a link' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const [second] = (await boss.api.get('/account/build-links')).expect(200).body.build_links;
  expect(second).toMatchObject({ prompt: 'A second one', allows_joining: true });
});

test('an owner removes a client who joined by a link', async () => {
  const [ada, boss] = [await owner(), await ownerWithDefaultPlan()];
  const { build_link } = (await boss.api.post('/account/build-links', { prompt, allows_joining: true })).expect(201).body;
  (await ada.api.post('/account/join', { build_link_id: build_link.id })).expect(200);
  const [client] = (await boss.api.get('/clients')).expect(200).body.clients;
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(boss, origin);
  await tab.goTo(`/clients/${client.id}`);
  await page.getByText('By a build link').waitFor();
  await page.getByRole('button', { name: 'Remove client' }).click();
  expect(await accessibilityViolations(tab)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove client' }).click();
  await page.getByText('Churned').waitFor();
  // Where accounts belong is heard by an event.
  await eventually(async () => (await ada.api.post('/account/join', { build_link_id: build_link.id })).expect(403, 'client_paused'));
});
