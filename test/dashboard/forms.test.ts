import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { makeProject } from '../contract/fixtures.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

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
