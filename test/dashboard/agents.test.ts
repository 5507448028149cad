import type { Browser } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('the page of agents says how to connect each common one, and an owner switches a tool and all agents off and on', async () => {
  const ada = await owner();
  const { secret } = (await ada.api.post('/account/keys', { name: 'Agent', permissions: ['read', 'write'] })).expect(201).body;
  const agent = new Agent(secret);
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/');
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'No agent is connected' }).waitFor();

  const copied = page.getByRole('region', { name: 'What to copy' });
  expect(await copied.textContent()).toBe(`${origin}/api/mcp`);
  for (const name of ['Claude Code', 'ChatGPT', 'Cursor', 'VS Code', 'Your own, in TypeScript', 'Your own, in Python']) {
    await page.getByRole('button', { name: 'Your agent' }).click();
    await page.getByRole('option', { name, exact: true }).click();
    expect(await copied.textContent()).toContain(`${origin}/api/mcp`);
  }

  const tool = page.getByRole('checkbox', { name: 'List plans' });
  const everything = page.getByRole('switch', { name: 'Agents may work here' });
  await tool.click({ force: true });
  await eventually(async () => expect(await agent.refusal('list_plans')).toMatch(/^tool_off: /));
  await tool.click({ force: true });
  await eventually(() => agent.use('list_plans'));
  await everything.click({ force: true });
  await eventually(async () => expect(await agent.refusal('list_plans')).toMatch(/^agents_off: /));
  await everything.click({ force: true });
  await eventually(() => agent.use('list_plans'));
  expect(tab.browserErrors).toEqual([]);
});
