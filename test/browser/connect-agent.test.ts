import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { BrowserUser, openBrowser } from '../harness/browser.ts';
import { pkce, registerAgent } from '../harness/connected-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

jest.setTimeout(900_000);

/** Screenshots for people to look at. */
const folder = path.resolve(import.meta.dirname, '../../test-results/connect-agent');
const origin = sharedPlatform().origins[0] ?? '';
const looks: Record<string, BrowserContextOptions> = {
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'wide-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
};

let browser: Awaited<ReturnType<typeof openBrowser>>;
/** Where the agent, a program on this computer, takes its code. */
let agent: Server;
let callback: string;

beforeAll(async () => {
  browser = await openBrowser();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  agent = createServer((_request, response) => response.end('You can close this page.'));
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  callback = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  await browser.close();
  agent.closeAllConnections();
  agent.close();
});

async function link(clientName: string) {
  const { verifier, challenge } = pkce();
  const client_id = await registerAgent(origin, clientName, 'http://127.0.0.1/callback');
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  return { client_id, verifier, url: `${origin}/oauth/authorize?${new URLSearchParams(request)}` };
}

/** A person with a second factor. */
async function person(): Promise<{ ada: Person; app: string }> {
  const ada = await newMember(await owner(), 'developer');
  const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
  (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
  return { ada, app: totpURI };
}

test.each(Object.keys(looks))(
  'without script a person signs in with a second factor, allows an agent, and it gets its tokens (%s)',
  async (look) => {
    const { ada, app } = await person();
    const { client_id, verifier, url } = await link('Desk agent');
    await using user = await BrowserUser.open(browser, { ...looks[look], javaScriptEnabled: false });
    const { page } = user;
    const show = (name: string) => page.screenshot({ path: path.join(folder, `${name}-${look}.png`), fullPage: true });
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
  const { url } = await link('An agent with a very long name that goes on and on, so that it needs several lines');
  await using user = await BrowserUser.open(browser, { ...looks['phone-light'], javaScriptEnabled: false });
  const { page } = user;
  await page.goto(url);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.screenshot({ path: path.join(folder, 'wrong-password.png'), fullPage: true });
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.screenshot({ path: path.join(folder, 'long-name.png'), fullPage: true });
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${callback}?**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
});

test('an address that was not registered is told on a page of ours', async () => {
  const { url } = await link('Desk agent');
  await using user = await BrowserUser.open(browser, { ...looks['phone-light'], javaScriptEnabled: false });
  await user.page.goto(url.replace('callback', 'elsewhere'));
  await user.page.getByRole('heading', { name: 'This cannot go on' }).waitFor();
  await user.page.screenshot({ path: path.join(folder, 'dead-end.png'), fullPage: true });
});
