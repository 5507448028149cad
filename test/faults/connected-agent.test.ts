import { agentToolNames } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { BrowserUser, openBrowser } from '../harness/browser.ts';
import type { OfficialAgent } from '../harness/official-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { PythonAgent } from '../harness/python-agent.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { TypeScriptAgent } from '../harness/typescript-agent.ts';
import { faultTimeoutMs } from './expect-held.ts';

jest.setTimeout(faultTimeoutMs);

/** All requests come from one address, which may otherwise send 100 a minute without a credential. */
const manyRequests = { RATE_LIMIT: '10000' };

let platform: TestPlatform;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [platform, browser] = await Promise.all([startPlatform({ env: manyRequests }), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await platform[Symbol.asyncDispose]();
});

test('a call without a token answers 401 and says where the metadata of the resource is', async () => {
  const [origin] = platform.facts.origins;
  const { headers } = (await new Agent(undefined, { origin }).ask('tools/call', { name: 'list_plans', arguments: {} })).expect(401);
  expect(headers.get('www-authenticate')).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`);
});

/** A person signs in on the page that an agent has opened, and allows it. */
async function allow(address: string | undefined, person: Person): Promise<void> {
  await using user = await BrowserUser.open(browser, { javaScriptEnabled: false });
  const { page } = user;
  await page.goto(String(address));
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Official agent').first().waitFor();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
}

const calls = async (agent: OfficialAgent) => expect(await agent.call()).toBeUndefined();

test.each([
  ['TypeScript', TypeScriptAgent],
  ['Python', PythonAgent],
])(
  'an agent that knows only the address lists tools, signs its person in, works on after every process was killed, renews its tokens, and ends when disconnected (official %s client)',
  async (_client, official) => {
    const person = await owner({ platform: platform.facts });
    await using agent = await official.start(`${platform.facts.origins[0]}/api/mcp`);
    expect(await agent.listTools()).toEqual(agentToolNames);
    await allow(await agent.call(), person);
    await agent.finishSignIn();
    await calls(agent);

    for (const name of platform.platform.processes.keys()) await platform.replace(name);
    await eventually(() => calls(agent));

    // The person is not asked again.
    const before = agent.refreshToken();
    await agent.expire();
    await calls(agent);
    expect(agent.refreshToken()).not.toBe(before);
    await agent.restart();
    await calls(agent);

    const { agents } = (await person.api.get('/account/agents')).expect(200).body;
    expect(agents).toMatchObject([{ client_name: 'Official agent', redirect_host: expect.stringContaining('127.0.0.1'), scopes: ['mcp'] }]);
    (await person.api.delete(`/account/agents/${agents[0].id}`)).expect(200);
    await eventually(async () => expect(await agent.call()).toContain('/oauth/authorize?'));
    expect((await person.api.get('/account/agents')).expect(200).body.agents).toEqual([]);
  },
);
