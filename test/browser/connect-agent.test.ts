import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { totp } from '../harness/totp.ts';
import { agentLink, agentServer, personWithSecondFactor } from './agent-link.ts';
import { looks, screenshotFolder } from './looks.ts';

const browser = useBrowser();

jest.setTimeout(900_000);

const screenshot = screenshotFolder('connect-agent');
const origin = sharedPlatform().origins[0] ?? '';
const [, [, onPhone]] = looks;

/** Where the agent, a program on this computer, takes its code. */
let agent: Awaited<ReturnType<typeof agentServer>>;
let callback: string;

beforeAll(async () => {
  agent = await agentServer();
  ({ callback } = agent);
});
afterAll(async () => {
  agent.close();
});

test.each(looks)(
  'without script a person signs in with a second factor, allows an agent, and it gets its tokens (%s)',
  async (look, options) => {
    const { ada, app } = await personWithSecondFactor();
    const { client_id, verifier, url } = await agentLink('Desk agent', callback);
    await using user = await BrowserUser.open(browser(), { ...options, javaScriptEnabled: false });
    const { page } = user;
    const show = (name: string) => page.screenshot({ path: screenshot(`${name}-${look}`), fullPage: true });
    await page.goto(url);
    await show('1-sign-in');
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await show('2-code');
    await page.getByLabel('Code of your authenticator app, or a backup code').fill(totp(app, 1));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('this computer (127.0.0.1)').waitFor();
    await show('3-consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${callback}?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id, redirect_uri: callback, code_verifier: verifier };
    const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ token_type: 'Bearer', scope: 'mcp' })]);
    expect(user.problems).toEqual([]);
  },
);

test('a wrong password is told beside the form, and a person who denies is sent back with access_denied', async () => {
  const ada = await owner();
  const { url } = await agentLink('An agent with a very long name that goes on and on, so that it needs several lines', callback);
  await using user = await BrowserUser.open(browser(), { ...onPhone, javaScriptEnabled: false });
  const { page } = user;
  await page.goto(url);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.screenshot({ path: screenshot('wrong-password'), fullPage: true });
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.screenshot({ path: screenshot('long-name'), fullPage: true });
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${callback}?**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
});

test('an address that was not registered is told on a page of ours', async () => {
  const { url } = await agentLink('Desk agent', callback);
  await using user = await BrowserUser.open(browser(), { ...onPhone, javaScriptEnabled: false });
  await user.page.goto(url.replace('callback', 'elsewhere'));
  await user.page.getByRole('heading', { name: 'This cannot go on' }).waitFor();
  await user.page.screenshot({ path: screenshot('dead-end'), fullPage: true });
});
