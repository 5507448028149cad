import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { eventually } from '../harness/agency.ts';
import { BrowserUser, openBrowser } from '../harness/browser.ts';
import { OfficialAgent } from '../harness/official-agent.ts';
import { owner } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { faultTimeoutMs } from './expect-held.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [platform, browser] = await Promise.all([startPlatform(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await platform[Symbol.asyncDispose]();
});

test('an agent that knows only the address lists tools, signs its person in, works on after every process was killed, and ends when disconnected', async () => {
  const ada = await owner({ platform: platform.facts });
  const origin = platform.facts.origins[0] ?? '';
  await using agent = await OfficialAgent.start(origin);
  const stranger = await agent.connect();
  expect((await stranger.listTools()).tools).toHaveLength(10);
  const unknown = stranger.callTool({ name: 'list_plans', arguments: {} });
  await expect(unknown).rejects.toThrow(UnauthorizedError);

  await using user = await BrowserUser.open(browser, { javaScriptEnabled: false });
  const { page } = user;
  await page.goto(String(await agent.page));
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Official agent').first().waitFor();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
  await agent.finishSignIn();

  const client = await agent.connect();
  expect((await client.callTool({ name: 'list_plans', arguments: {} })).isError).toBeFalsy();
  for (const part of ['mcp', 'identity', 'clients-plans', 'gateway', 'redis', 'nats', 'mongodb']) await platform.replace(part);
  const goesOn = () => eventually(async () => expect((await client.callTool({ name: 'list_plans', arguments: {} })).isError).toBeFalsy());
  await goesOn();

  // An access token that has expired is renewed with the refresh token, without the person.
  const { refresh_token } = agent.tokens ?? {};
  agent.tokens = { ...agent.tokens, access_token: 'wko_expired', token_type: 'Bearer' };
  await goesOn();
  expect(agent.tokens?.refresh_token).not.toBe(refresh_token);

  const { agents } = (await ada.api.get('/account/agents')).expect(200).body;
  expect(agents).toMatchObject([{ client_name: 'Official agent', redirect_host: expect.stringContaining('127.0.0.1'), scopes: ['mcp'] }]);
  (await ada.api.delete(`/account/agents/${agents[0].id}`)).expect(200);
  await eventually(() => expect(client.callTool({ name: 'list_plans', arguments: {} })).rejects.toThrow());
  expect((await ada.api.get('/account/agents')).expect(200).body.agents).toEqual([]);
});
