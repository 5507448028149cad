import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { makeProject } from '../contract/fixtures.ts';
import { openBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { noTransitions, Tab } from './testing/tab.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const linkPattern = /http\S+\/form-mails\?token=[\w.-]+/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test.each([
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
])(
  '%s: the forms page says that an address has not agreed and sends its link again; the page of the link needs no script',
  async (_, viewport) => {
    const ada = await owner();
    const { id } = await makeProject(ada.api);
    const desk = `desk-${randomUUID()}@example.com`;
    (await ada.api.patch(`/projects/${id}/forms/settings`, { notification_email: desk })).expect(200);
    const first = await mailedLink(platform, desk, linkPattern);

    await using dashboard = await Tab.open(browser, origin, { ...noTransitions, viewport });
    await dashboard.signInAs(ada, origin);
    await dashboard.goTo(`/projects/${id}/forms`);
    const notice = dashboard.page.getByText(`${desk} has not agreed to these mails yet`);
    await notice.waitFor();
    await dashboard.page.getByRole('button', { name: 'Send the link again' }).click();
    await dashboard.page.getByText('The link is on its way.').waitFor();

    await using recipient = await Tab.open(browser, origin, { viewport, javaScriptEnabled: false });
    const { page } = recipient;
    await page.goto(await mailedLink(platform, desk, linkPattern, first));
    await page.getByRole('button', { name: 'Receive these mails' }).click();
    await page.getByRole('heading', { name: 'You receive form mails' }).waitFor();
    await dashboard.goTo(`/projects/${id}/forms`);
    expect(await notice.count()).toBe(0);
    await page.getByRole('button', { name: 'Stop these mails' }).click();
    await page.getByRole('heading', { name: 'You receive no form mails' }).waitFor();
    await dashboard.goTo(`/projects/${id}/forms`);
    await dashboard.page.getByText(`${desk} has unsubscribed`).waitFor();
    expect([...recipient.browserErrors, ...dashboard.browserErrors]).toEqual([]);
  },
);
