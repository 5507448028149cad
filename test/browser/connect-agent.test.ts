import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { cached, runCommand } from '@webkiln/dev-platform';
import { agency } from '../harness/agency.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { totp } from '../harness/totp.ts';
import { agentLink, agentServer, personWithSecondFactor } from './agent-link.ts';
import { looks, screenshotsIn } from './looks.ts';

const browser = useBrowser();

jest.setTimeout(900_000);

const screenshot = screenshotsIn('connect-agent');
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
    const show = (name: string) => screenshot(page, `${name}-${look}`);
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
  await screenshot(page, 'wrong-password');
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await screenshot(page, 'long-name');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${callback}?**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
});

test('an address that was not registered is told on a page of ours', async () => {
  const { url } = await agentLink('Desk agent', callback);
  await using user = await BrowserUser.open(browser(), { ...onPhone, javaScriptEnabled: false });
  await user.page.goto(url.replace('callback', 'elsewhere'));
  await user.page.getByRole('heading', { name: 'This cannot go on' }).waitFor();
  await screenshot(user.page, 'dead-end');
});

/** The MCP Inspector as its package has it: a page that connects to servers directly. */
async function inspector() {
  const version = '1.0.3';
  const folder = await cached(`mcp-inspector-client-${version}`, async (draft) => {
    const [archive = ''] = (
      await runCommand('npm', ['pack', '--silent', `@modelcontextprotocol/inspector-client@${version}`], { cwd: draft })
    ).split('\n');
    await runCommand('tar', ['xzf', archive], { cwd: draft });
  });
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, origin);
    const file = path.join(folder, 'package/dist', pathname === '/' ? 'index.html' : path.normalize(pathname));
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'image/svg+xml' }).end(readFileSync(file));
  }).listen(0, 'localhost');
  await once(server, 'listening');
  return { server, url: `http://localhost:${(server.address() as AddressInfo).port}` };
}

test('the MCP Inspector, a page of another origin, connects to each address of the platform with a key, and lists its tools', async () => {
  const ours = await agency();
  const { server, url } = await inspector();
  const { port } = new URL(origin);
  try {
    for (const address of [
      `${origin}/api/mcp`,
      `${origin}/api/mcp/`,
      `http://127.0.0.1:${port}/api/mcp`,
      `http://[::1]:${port}/api/mcp/`,
    ]) {
      await using user = await BrowserUser.open(browser());
      const { page } = user;
      const headers = [{ name: 'Authorization', value: `Bearer ${ours.api.key}`, enabled: true }];
      await page.addInitScript((custom) => {
        localStorage.setItem('lastConnectionType', 'direct');
        localStorage.setItem('lastCustomHeaders', custom);
      }, JSON.stringify(headers));
      await page.goto(`${url}/?transport=streamable-http&serverUrl=${encodeURIComponent(address)}`);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText('Connected', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Tools' }).click();
      await page.getByRole('button', { name: 'List Tools' }).click();
      await page.getByText('get_preview_links').first().waitFor();
    }
  } finally {
    server.close();
  }
});
