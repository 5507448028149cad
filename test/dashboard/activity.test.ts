import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { File } from '@webkiln/contract';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { zipSync } from 'fflate';
import type { Locator, Page } from 'playwright-core';
import { inviteClient, makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { dropFolder } from './testing/drop-folder.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

describe('activity', () => {
  const platform = sharedPlatform();
  const origin = platform.origins[0] ?? '';

  describe('analytics', () => {
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

    beforeAll(() => withinOneDay(), nextDayTimeoutMs);

    test('the chart shows the response of GET /analytics, for all sites and for the selected one', async () => {
      const ada = await owner();
      const [one, other] = [
        await makeProject(ada.api, undefined, { name: 'Bakery' }),
        await makeProject(ada.api, undefined, { name: 'Yoga' }),
      ];
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

      await using tab = await Tab.open(browser(), origin);
      const { page } = tab;
      await tab.signInAs(ada, origin);
      const chartData = async () => {
        const rows = await page.getByRole('table', { name: 'Views and visitors by day' }).locator('tr[data-date]').all();
        return Promise.all(
          rows.map(async (row) => ({ date: await row.getAttribute('data-date'), views: Number(await row.getAttribute('data-count')) })),
        );
      };
      await tab.goTo('/analytics');
      await eventually(async () => expect(await chartData()).toEqual((await fetchAnalytics('')).dailyViews));
      await page.getByRole('button', { name: 'Site' }).click();
      await page.getByRole('option', { name: 'Bakery' }).click();
      await eventually(async () => expect(await chartData()).toEqual((await fetchAnalytics(`&project_id=${one.id}`)).dailyViews));
      const bars = page.locator('.day-chart path:not(.other)');
      const drawn = (await chartData()).filter(({ views }) => views > 0);
      await eventually(async () => expect(await bars.count()).toBe(drawn.length));
      await bars.first().hover();
      await page.locator('.chart-tip').getByText(String(drawn[0]?.views), { exact: true }).waitFor();
      await page
        .getByRole('term')
        .filter({ hasText: /^Visitors$/ })
        .waitFor();

      // A click on a row filters, the address says so, and another click ends it.
      await page.getByRole('radio', { name: 'Browsers' }).click();
      await page.getByRole('button', { name: 'Browser Firefox: 1 visitors, 3 views. Show only these' }).click();
      await page.getByRole('button', { name: 'Remove filter Browser Firefox' }).waitFor();
      expect(new URL(page.url()).searchParams.get('browser')).toBe('Firefox');
      await eventually(async () => expect((await chartData()).reduce((sum, { views }) => sum + views, 0)).toBe(3));
      await page.goto(page.url().replace('browser=Firefox', 'browser=Netscape'));
      await page.getByText('No visits match these filters').waitFor();
      await page.getByRole('button', { name: 'Remove filter Browser Netscape' }).click();
      await page.getByRole('button', { name: 'Range' }).click();
      await page.getByRole('option', { name: 'Today, by hour' }).click();
      await page.getByRole('table', { name: 'Views and visitors by hour' }).waitFor({ state: 'attached' });
      expect(tab.browserErrors).toEqual([]);
    });
  });

  describe('webhooks', () => {
    test('a webhook is added and tested; failed deliveries show the reason and can be replayed', async () => {
      const ada = await owner();
      await using receiver = await WebhookReceiver.start();
      await using tab = await Tab.open(browser(), origin);
      const { page } = tab;
      await tab.signInAs(ada, origin);
      await tab.goTo('/webhooks');
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill(receiver.url);
      await dialog.getByText('client.created').click();
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      expect(await page.getByRole('region', { name: 'Signing secret' }).textContent()).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'Done' }).click();

      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('Test delivered in').waitFor();
      const [{ id }] = (await ada.api.get('/webhooks')).expect(200).body.webhooks;
      const listed = (status: string) =>
        eventually(async () => {
          const { deliveries } = (await ada.api.get(`/webhooks/${id}/deliveries`)).expect(200).body;
          expect(deliveries).toMatchObject([{ status }]);
        });
      expect(receiver.received.map(({ event }) => [event.type, event.test])).toEqual([['client.created', true]]);

      receiver.status = 500;
      await inviteClient(ada.api);
      await listed('pending');
      await page.reload();
      await page.getByRole('row', { name: 'client.created Waiting' }).waitFor();
      await page.getByRole('row', { name: 'client.created Waiting' }).getByRole('link').click();
      await page.getByText('only 2xx counts as received').first().waitFor();
      const [{ event, headers }] = receiver.received.slice(-1) as [(typeof receiver.received)[number]];
      expect(JSON.parse((await page.getByRole('region', { name: 'Body' }).textContent()) ?? '')).toEqual(event);
      await page.getByRole('region', { name: 'Headers' }).getByText(`webhook-id: ${headers['webhook-id']}`).waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByRole('link', { name: 'Deliveries' }).click();
      // Pending deliveries are skipped while the webhook is switched off.
      (await ada.api.patch(`/webhooks/${id}`, { is_active: false })).expect(200);
      await listed('skipped');
      (await ada.api.patch(`/webhooks/${id}`, { is_active: true })).expect(200);
      receiver.status = 200;

      await page.reload();
      await page.getByRole('row', { name: 'client.created Skipped' }).waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
      await page.getByText('1 delivery is queued.').waitFor();
      await page.getByRole('row', { name: 'client.created Delivered' }).waitFor();
      expect(receiver.received.at(-1)?.event).toMatchObject({ type: 'client.created' });
      const count = receiver.received.length;
      await page.getByRole('checkbox', { name: 'Choose client.created' }).press('Space');
      await page.getByRole('button', { name: 'Send 1 again' }).click();
      await eventually(async () => expect(receiver.received).toHaveLength(count + 1));
      expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(receiver.received.at(-2)?.headers['webhook-id']);
      expect(tab.browserErrors).toEqual([]);
    });
  });

  describe('files', () => {
    test('a folder is dropped, published and edited, without a program', async () => {
      const ada = await owner();
      const { id } = await makeProject(ada.api);
      const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-folder-'));
      await mkdir(path.join(folder, 'dist/img'), { recursive: true });
      await writeFile(path.join(folder, 'dist/index.html'), '<!doctype html><title>Bakery</title><h1>Bread</h1>');
      await writeFile(path.join(folder, 'dist/img/crumb.txt'), 'crumb');
      await writeFile(path.join(folder, 'dist/.DS_Store'), 'litter');
      const pathsOf = async () => (await ada.api.get(`/projects/${id}/files`)).expect(200).body.files.map((file: File) => file.path);

      await using tab = await Tab.open(browser(), origin);
      const { page } = tab;
      await tab.signInAs(ada, origin);
      await tab.goTo(`/projects/${id}`);

      // The first attempt waits in vain and is canceled, the second is cut off; each is repeated by a button.
      const files = `**/projects/${id}/files`;
      await page.route(files, () => new Promise(() => undefined));
      await dropFolder(page, folder);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Canceled: nothing has changed.').waitFor();
      await page.unroute(files);
      await page.route(files, (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()));
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Canceled: nothing has changed.').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await pathsOf()).toEqual([]);
      await page.unroute(files);
      await page.getByRole('button', { name: 'Try again' }).click();

      await page.getByRole('button', { name: 'Publish draft' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('img/crumb.txt, index.html').waitFor();
      await dialog.getByRole('button', { name: 'Publish draft' }).click();
      await page.getByText('Up to date').waitFor();
      expect(await page.getByRole('button', { name: 'Publish draft' }).count()).toBe(0);
      const { project } = (await ada.api.get(`/projects/${id}`)).expect(200).body;
      expect((await visit(origin, project.published_url)).text).toContain('<h1>Bread</h1>');
      expect(await pathsOf()).toEqual(['img/crumb.txt', 'index.html']);

      // A file is edited. What somebody else has written meanwhile is not lost without a word.
      await page.getByRole('tab', { name: 'Files (2)' }).click();
      await page.getByRole('button', { name: 'index.html' }).click();
      const editor = page.getByLabel('Text of index.html');
      const mine = '<h1>Mine</h1><a href="/gone">Gone</a>';
      await editor.fill(mine);
      (await ada.api.put(`/projects/${id}/files/index.html`, { file: '<h1>Theirs</h1>' })).expect(200);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Somebody else changed this file').waitFor();
      expect(await editor.inputValue()).toBe(mine);
      await page.getByRole('button', { name: 'Save mine over it' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await (await ada.api.raw(`/projects/${id}/files/index.html`)).text()).toBe(mine);

      await page.getByRole('row', { name: 'img/crumb.txt' }).getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('tab', { name: 'Files (1)' }).waitFor();
      await page.getByRole('button', { name: 'Publish draft' }).click();
      const changes = [expect.any(String), 'index.html', 'img/crumb.txt'];
      await eventually(async () => expect(await dialog.locator('dd').allTextContents()).toEqual(changes));

      // The site is live, and what its visitors may miss is said.
      await dialog.getByRole('button', { name: 'Publish draft' }).click();
      await dialog.getByText('The link "/gone" leads to no file of the site.').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Up to date').waitFor();
      expect(tab.browserErrors).toEqual([]);
    });

    test('a folder without index.html, and a zip with a link, are refused with what to correct', async () => {
      const ada = await owner();
      const { id } = await makeProject(ada.api);
      const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-folder-'));
      await mkdir(path.join(folder, 'photos'));
      await writeFile(path.join(folder, 'photos/a.txt'), 'a');
      const zip = path.join(folder, 'site.zip');
      await writeFile(zip, zipSync({ 'index.html': [Buffer.from('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] }));
      await using tab = await Tab.open(browser(), origin);
      const { page } = tab;
      await tab.signInAs(ada, origin);
      await tab.goTo(`/projects/${id}?tab=files`);
      for (const [button, files, sentence] of [
        ['Choose a folder', path.join(folder, 'photos'), 'There is no index.html at the top of the folder'],
        ['Choose a zip', zip, 'index.html: is a link or no file'],
      ] as const) {
        const chooser = page.waitForEvent('filechooser');
        await page.getByRole('button', { name: button }).click();
        await (await chooser).setFiles(files);
        await page.getByText(sentence).waitFor();
      }
      expect((await ada.api.get(`/projects/${id}/files`)).expect(200).body.files).toEqual([]);
    });
  });
});

describe('forms', () => {
  const platform = sharedPlatform();
  const origin = platform.origins[0] ?? '';

  describe('forms', () => {
    const viewports = [
      ['desktop', { width: 1280, height: 800 }],
      ['phone', { width: 390, height: 844 }],
    ] as const;

    /** Presses the mouse at the centre of a button and releases it there, wherever the button is by then. */
    async function pressAt(page: Page, button: Locator): Promise<void> {
      await button.scrollIntoViewIfNeeded();
      const box = await button.boundingBox();
      if (box === null) throw new Error('the button is not visible');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      // Two frames, so that whatever the press changes is laid out.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.mouse.up();
    }

    test.each(viewports)('%s: the first press on the button sends a form whose field was corrected', async (_, viewport) => {
      await using tab = await Tab.open(browser(), origin, { viewport });
      const { page } = tab;
      await tab.goTo('/sign-up');
      await page.getByLabel('Your name').fill('Ada');
      await page.getByLabel('Organization').fill('Ada and Co');
      await page.getByLabel('Email').fill(`ada-${viewport.width}@example.com`);
      const [password, button] = [page.getByLabel('Password'), page.getByRole('button', { name: 'Create account' })];
      await password.fill('short');
      await button.click();
      const message = page.locator('.field-error');
      await message.waitFor();
      await password.pressSequentially('er than a good password');
      await message.waitFor({ state: 'detached' });
      const request = page.waitForRequest((sent) => sent.url().endsWith('/api/auth/sign-up/email'));
      await pressAt(page, button);
      await request;
    });

    test.each(viewports)('%s: the first press on Cancel closes a dialog whose field is invalid', async (_, viewport) => {
      await using tab = await Tab.open(browser(), origin, { viewport });
      const { page } = tab;
      await tab.signInAs(await owner(), origin);
      await tab.goTo('/clients');
      await page.getByRole('button', { name: 'Invite client' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Email').pressSequentially('no address');
      await pressAt(page, dialog.getByRole('button', { name: 'Cancel' }));
      await dialog.waitFor({ state: 'detached' });
    });
  });

  describe('mails of forms', () => {
    const linkPattern = /http\S+\/form-mails\?token=[\w.-]+/;

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

        await using dashboard = await Tab.open(browser(), origin, { viewport });
        await dashboard.signInAs(ada, origin);
        await dashboard.goTo(`/projects/${id}/forms`);
        const notice = dashboard.page.getByText(`${desk} has not agreed to these mails yet`);
        await notice.waitFor();
        await dashboard.page.getByRole('button', { name: 'Send the link again' }).click();
        await dashboard.page.getByText('The link is on its way.').waitFor();

        await using recipient = await Tab.open(browser(), origin, { viewport, javaScriptEnabled: false });
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
  });
});
