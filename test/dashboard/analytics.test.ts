import { withinOneDay } from '@webkiln/store/testing';
import type { Browser } from 'playwright-core';
import { makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';
const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

let browser: Browser;
beforeAll(async () => {
  await withinOneDay();
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('the chart shows the response of GET /analytics, for all sites and for the selected one', async () => {
  const ada = await owner();
  const [one, other] = [await makeProject(ada.api, undefined, { name: 'Bakery' }), await makeProject(ada.api, undefined, { name: 'Yoga' })];
  for (const [project, views] of [
    [one, 3],
    [other, 2],
  ] as const) {
    const builtFiles = { 'index.html': '<h1>Hello</h1>' };
    const { url } = (await ada.api.post(`/projects/${project.id}/publish`, { builtFiles })).expect(200).body;
    for (let view = 0; view < views; view++) await visit(origin, `${url}/t.gif?p=/`, { 'user-agent': agent });
  }
  const fetchAnalytics = async (query: string) => (await ada.api.get(`/analytics?days=30${query}`)).expect(200).body.analytics;
  await eventually(async () => expect(await fetchAnalytics('')).toMatchObject({ totalViews: 5 }));

  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  const chartData = async () => {
    const rows = await page.getByRole('table', { name: 'Views by day' }).locator('tr[data-date]').all();
    return Promise.all(
      rows.map(async (row) => ({ date: await row.getAttribute('data-date'), views: Number(await row.getAttribute('data-count')) })),
    );
  };
  await tab.goTo('/analytics');
  await page.getByText('Views', { exact: true }).first().waitFor();
  await eventually(async () => expect(await chartData()).toEqual((await fetchAnalytics('')).dailyViews));
  await page.getByRole('button', { name: 'Site' }).click();
  await page.getByRole('option', { name: 'Bakery' }).click();
  await eventually(async () => expect(await chartData()).toEqual((await fetchAnalytics(`&project_id=${one.id}`)).dailyViews));
  const bars = page.locator('.day-chart path');
  const drawn = (await chartData()).filter(({ views }) => views > 0);
  expect(await bars.count()).toBe(drawn.length);
  await bars.first().hover();
  await page.locator('.chart-tip').getByText(`${drawn[0]?.views} view`).waitFor();
  expect(tab.browserErrors).toEqual([]);
});
