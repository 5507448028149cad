import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { noTransitions, Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const prompt = 'A site for a bakery in Lyon & its <ovens>';

test('a build link leads a stranger over sign-up to a site of their own that is live; before the click nothing is made', async () => {
  const ada = new Person();
  await using tab = await Tab.open(browser(), origin, noTransitions);
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

test.each([
  [
    'a stored link',
    async (boss: Person) => `/build?l=${(await boss.api.post('/account/build-links', { prompt })).expect(201).body.build_link.id}`,
  ],
  [
    'a link with org',
    async (boss: Person) => {
      const { slug } = (await boss.api.get('/account/session')).expect(200).body.organization;
      return `/build?${new URLSearchParams({ prompt, org: slug })}`;
    },
  ],
])('%s of an agency makes a stranger its client at the click, with a site in the builder', async (_kind, linkOf) => {
  const [ada, boss] = [new Person(), await owner()];
  await using tab = await Tab.open(browser(), origin, noTransitions);
  const { page } = tab;
  await tab.goTo(await linkOf(boss));
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
  const { projects } = (await boss.api.get('/projects')).expect(200).body;
  expect(projects).toMatchObject([{ name: prompt, org_client_id: client.id }]);
});

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
  await page.goto(await mailedLink(platform, person.email, verifyLink));
  await page.getByText(prompt).waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('members make, copy and delete build links; a deleted one says so', async () => {
  const boss = await owner();
  await using tab = await Tab.open(browser(), origin, noTransitions);
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
