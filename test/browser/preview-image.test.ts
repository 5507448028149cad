import { makeProject } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { BrowserUser, chromiumPath, openBrowser } from '../harness/browser.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';

jest.setTimeout(900_000);

test('each deploy gets its own preview image, and a deleted project has none', async () => {
  await using platform = await startPlatform({ env: { CHROMIUM_PATH: await chromiumPath() } });
  const browser = await openBrowser();
  try {
    await using person = await BrowserUser.open(browser);
    const { api, eventually } = await agency(platform.facts, { rateLimit: 100_000 });
    const { id } = await makeProject(api);
    const publish = async (color: string) => {
      const builtFiles = { 'index.html': `<body style="background: ${color}">` };
      return String((await api.post(`/projects/${id}/publish`, { builtFiles })).expect(200).body.deployId);
    };
    const imageOf = (deployId: string) =>
      eventually(async () => {
        const { preview_image_url: url } = (await api.get(`/projects/${id}`)).expect(200).body.project;
        expect(url).toContain(`/${id}/${deployId}.png`);
        return String(url);
      });
    /** Width and height of the image, as a page that shows it measures them. */
    const seen = async (url: string) => {
      await person.page.setContent(`<img src="${url}">`, { waitUntil: 'load' });
      return person.page.evaluate('[document.images[0].naturalWidth, document.images[0].naturalHeight]');
    };

    const first = await imageOf(await publish('red'));
    expect(await seen(first)).toEqual([1280, 800]);
    const second = await imageOf(await publish('green'));
    expect(await seen(second)).toEqual([1280, 800]);
    (await api.delete(`/projects/${id}`)).expect(200);
    // Past the browser, which may keep the immutable image from a look before the deletion was handled.
    const [origin = ''] = platform.facts.origins;
    await eventually(async () => expect((await visit(origin, second)).status).toBe(404));
  } finally {
    await browser.close();
  }
});
