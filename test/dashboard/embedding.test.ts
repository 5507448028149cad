import type { Browser } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('an embed client is created with its secret shown once, edited, rotated and deleted; its sessions are listed and revoked', async () => {
  const ada = await owner();
  const clients = async () => (await ada.api.get('/account/embed-clients')).expect(200).body.embed_clients;
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/');
  await page.getByRole('link', { name: 'Embedding' }).click();
  await page.getByRole('heading', { name: 'No embed clients yet' }).waitFor();

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create embed client' }).click();
  await dialog.getByLabel('Name').fill('Portal');
  await dialog.getByLabel('Allowed origins').fill('https://app.example.com\nhttps://*.example.com');
  await dialog.getByRole('button', { name: 'Create embed client' }).click();
  await dialog.getByText('must be an origin such as').waitFor();
  await dialog.getByLabel('Allowed origins').fill('https://app.example.com\nhttps://shop.example.com');
  await dialog.getByRole('button', { name: 'Create embed client' }).click();
  const secret = await page.getByRole('region', { name: 'Secret' }).textContent();
  const [made] = await clients();
  expect(secret).toContain(made.secret_prefix);
  expect(await page.getByRole('region', { name: 'For the environment of your server' }).textContent()).toBe(
    `WEBKILN_EMBED_CLIENT_ID=${made.id}\nWEBKILN_EMBED_CLIENT_SECRET=${secret}`,
  );
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('heading', { name: 'Nobody has the builder open' }).waitFor();
  const session = await openEmbedSession({ client_id: made.id, client_secret: String(secret) }, { user_id: 'rosa-7' });
  await page.reload();
  const opened = page.getByRole('row', { name: 'rosa-7' });
  await opened.getByText('Portal').waitFor();
  await opened.getByRole('link', { name: 'Open project' }).click();
  await page.getByRole('heading', { name: session.project.name, level: 1 }).waitFor();
  await page.goBack();
  await opened.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('heading', { name: 'Nobody has the builder open' }).waitFor();
  await eventually(async () => (await session.api.get('/embed/session')).expect(401));

  const row = page.getByRole('row', { name: 'Portal' });
  await row.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Allowed origins').fill('https://desk.example.com');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await row.getByText('https://desk.example.com').waitFor();
  expect(await clients()).toMatchObject([{ name: 'Portal', allowed_origins: ['https://desk.example.com'] }]);

  await row.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const rotated = await page.getByRole('region', { name: 'Secret' }).textContent();
  expect([rotated?.slice(0, 5), rotated === secret]).toEqual(['embs_', false]);
  await page.getByRole('button', { name: 'Done' }).click();
  await row.getByText('Old one ends').waitFor();

  await row.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No embed clients yet' }).waitFor();
  expect(await clients()).toEqual([]);
  expect(tab.browserErrors).toEqual([]);
});
