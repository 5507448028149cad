import { inviteClient, makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { openEmbedSession } from '../harness/embed-session.ts';
import { owner, Person } from '../harness/person.ts';
import { png } from '../harness/pictures.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activateClientUser } from '../harness/team.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('embedding', () => {
  test('an embed client is created with its secret shown once, edited, rotated and deleted; its sessions are listed and revoked', async () => {
    const ada = await owner();
    const clients = async () => (await ada.api.get('/account/embed-clients')).expect(200).body.embed_clients;
    await using tab = await Tab.open(browser(), origin);
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
});

describe('the brand', () => {
  const logo = png('#20405f');

  /** The computed background and text colors of the first element that matches. */
  const colorsOf = ({ page }: Tab, selector: string): Promise<string[]> =>
    page.evaluate(`(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('${selector}')))`);

  /** A client of the organization with an activated account. */
  async function activatedClient(boss: Person) {
    const client = await inviteClient(boss.api, { name: 'Rosa' });
    const person = new Person({ email: client.email });
    await activateClientUser(person);
    return { client, person };
  }

  test('an owner sets the logo, accent color and sender name, and previews what clients will see', async () => {
    const boss = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(boss, origin);
    await tab.goTo('/organization');
    await page.getByLabel('Name', { exact: true }).fill('Harbour Studio');
    await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo });
    await page.getByRole('img', { name: 'The logo' }).waitFor();
    await page.getByLabel('Accent color', { exact: true }).fill('#ffee00');
    await page.getByLabel('Mail sender').fill('Ines of Harbour');
    expect(await colorsOf(tab, 'figure[data-theme=light] .button')).toEqual(['rgb(255, 238, 0)', 'rgb(0, 0, 0)']);
    await page.getByRole('figure', { name: 'In the mailbox' }).getByText('Ines of Harbour').waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    const { organization } = (await boss.api.get('/account/organization')).expect(200).body;
    expect(organization).toMatchObject({
      name: 'Harbour Studio',
      accent_color: '#ffee00',
      mail_sender_name: 'Ines of Harbour',
    });
    const shown = await fetch(`${origin}${organization.logo_url}`);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(logo);

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('img', { name: 'The logo' }).waitFor({ state: 'detached' });
    // The "Saved." notice may be left from the first save.
    await eventually(async () => expect((await boss.api.get('/account/organization')).body.organization.logo_url).toBeNull());
    expect(tab.browserErrors).toEqual([]);
  });

  test('a logo file that is not an image, or is too large, is refused in the form', async () => {
    const boss = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(boss, origin);
    await tab.goTo('/organization');
    const file = page.locator('input[type=file]');
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByText('Choose a PNG, JPEG or WebP picture.').waitFor();
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.concat([logo, Buffer.alloc(256 * 1024)]) });
    await page.getByText('larger than 256 KB').waitFor();
    // A file with a false type is refused by the API.
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<script>alert(1)</script>') });
    // The page has read the file.
    await page.getByRole('img', { name: 'The logo' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('must be a PNG, JPEG or WebP picture').waitFor();
  });

  test.each([
    ['light', '#ffee00', 'rgb(0, 0, 0)'],
    ['dark', '#101d2b', 'rgb(255, 255, 255)'],
  ] as const)('a client sees only the organization’s brand, without browser errors: %s', async (colorScheme, accent_color, text) => {
    const boss = await owner();
    const wanted = { name: 'Harbour Studio', accent_color, logo: logo.toString('base64') };
    const { logo_url } = (await boss.api.patch('/account/organization', wanted)).expect(200).body.organization;
    const { client, person } = await activatedClient(boss);
    const { id } = await makeProject(boss.api, client, { name: 'Harbour Bakery' });
    await using tab = await Tab.open(browser(), origin, { colorScheme });
    const { page } = tab;
    await tab.goTo('/sign-in');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Harbour Bakery' }).waitFor();
    // The agency's tools are its own until it lets clients use them.
    await tab.goTo(`/projects/${id}`);
    await page.getByRole('button', { name: 'Publish' }).or(page.getByText('Forms')).first().waitFor();
    expect([await page.getByRole('tab').count(), await page.getByRole('button', { name: 'Edit' }).count()]).toEqual([0, 0]);
    await tab.goTo('/projects');
    await eventually(async () => expect(await page.title()).toBe('Projects · Harbour Studio'));
    expect(await page.locator('.switcher img').first().getAttribute('src')).toBe(logo_url);
    await page.locator(`link[rel=icon][href="${logo_url}"]`).waitFor({ state: 'attached' });
    expect(await accessibilityViolations(tab)).toEqual([]);
    await tab.goTo('/account');
    const parts = [1, 3, 5].map((at) => Number.parseInt(accent_color.slice(at, at + 2), 16));
    expect(await colorsOf(tab, '.button.primary')).toEqual([`rgb(${parts.join(', ')})`, text]);
    expect(await accessibilityViolations(tab)).toEqual([]);
    await tab.context.clearCookies();
    await tab.goTo('/sign-in');
    await eventually(async () => expect(await page.title()).toBe('Sign in · Harbour Studio'));
    expect(await page.locator('.auth-brand img').getAttribute('src')).toBe(logo_url);
    await eventually(async () => expect(await page.getByRole('link').allTextContents()).toEqual(['Forgot your password?']));
    expect(await colorsOf(tab, '.button.primary')).toEqual([`rgb(${parts.join(', ')})`, text]);
    expect(await accessibilityViolations(tab)).toEqual([]);
    expect(await page.locator('body').textContent()).not.toContain('Webkiln');
    expect(tab.browserErrors).toEqual([]);
  });

  test('a member sees our brand with the organization’s name', async () => {
    const boss = await owner();
    (await boss.api.patch('/account/organization', { name: 'Harbour Studio', accent_color: '#ffee00' })).expect(200);
    await using tab = await Tab.open(browser(), origin);
    await tab.signInAs(boss, origin);
    await tab.goTo('/clients');
    await eventually(async () => expect(await tab.page.title()).toBe('Clients · Webkiln'));
    await tab.page.locator('.switcher').getByText('Harbour Studio').first().waitFor();
    expect(await tab.page.evaluate("document.documentElement.style.getPropertyValue('--primary')")).toBe('');
  });
});
