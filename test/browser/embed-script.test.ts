import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const browser = useBrowser();

const origin = sharedPlatform().origins[0] ?? '';

const page = `<!doctype html><html lang="en"><title>Agency</title><link rel="icon" href="data:,"><div id="builder" style="min-height: 700px"></div>
  <iframe title="Other" srcdoc="A neighbour"></iframe><script src="${origin}/embed.js"></script>
  <script>
    heard = [];
    const keep = (name) => (event) => heard.push([name, event]);
    show = (url) => Webkiln.embed(document.getElementById('builder'), {
      url, onReady: keep('ready'), onMessage: keep('message'), onPublished: keep('published'), onError: keep('error') });
  </script></html>`;

/** A page of an agency on an origin of its own, in a browser. */
async function agencyPage() {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const user = await BrowserUser.open(browser());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    page: user.page,
    origin: url,
    /** What the callbacks got, without what the builder says by itself. */
    heard: async (names: readonly string[]) =>
      ((await user.page.evaluate('heard')) as [string, unknown][]).filter(([name]) => names.includes(name)),
    show: (builderUrl: string) => user.page.evaluate(`show(${JSON.stringify(builderUrl)}) && undefined`),
    async [Symbol.asyncDispose]() {
      await user[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

test('embed.js shows the builder in a page of an allowed origin and passes on what the builder says, and nobody else', async () => {
  await using agency = await agencyPage();
  const pair = await embedPair(await owner(), [agency.origin]);
  const [first, second] = await Promise.all([openEmbedSession(pair), openEmbedSession(pair)]);
  await agency.page.goto(agency.origin);
  await agency.show(first.builder_url);
  const frameOf = async () => {
    const frame = await (await agency.page.waitForSelector('#builder > iframe')).contentFrame();
    await frame?.waitForURL((url) => url.origin === origin);
    return frame;
  };
  const postMessage = (data: object) => `window.parent.postMessage(${JSON.stringify(data)}, '*')`;
  const say = async (data: object) => (await frameOf())?.evaluate(postMessage(data));
  expect(await agency.page.getAttribute('#builder > iframe', 'src')).toBe(first.builder_url);
  expect((await agency.page.locator('#builder > iframe').boundingBox())?.height).toBe(700);
  expect(await (await frameOf())?.evaluate('document.referrer')).toBe(`${agency.origin}/`);

  // A neighbour in the same page, the page itself, and messages of other programs in the builder's frame.
  const forged = { source: 'webkiln', type: 'published', url: 'https://forged.example' };
  const neighbour = agency.page.frames().find((frame) => frame.url() === 'about:srcdoc');
  await neighbour?.evaluate(postMessage(forged));
  await agency.page.evaluate(postMessage(forged));
  await say({ ...forged, source: 'other' });
  await say({ source: 'webkiln', type: '__proto__' });
  await say({ source: 'webkiln', type: 'published', url: 'https://bakery.example' });
  const passed = ['published', 'message'];
  await agency.page.waitForFunction('heard.some(([name]) => name === "published")');
  expect(await agency.heard(passed)).toEqual([['published', { url: 'https://bakery.example' }]]);

  // Another session takes the place of the first.
  await agency.show(second.builder_url);
  await agency.page.waitForFunction('document.querySelectorAll("#builder > iframe").length === 1');
  await say({ source: 'webkiln', type: 'message', turn_id: null, state: 'done' });
  await agency.page.waitForFunction('heard.some(([name]) => name === "message")');
  expect(await agency.heard(passed)).toEqual([
    ['published', { url: 'https://bakery.example' }],
    ['message', { turn_id: null, state: 'done' }],
  ]);
  const refused = await agency.page.evaluate(`(() => { try { show('javascript:alert(1)') } catch (error) { return error.name } })()`);
  expect([refused, await agency.page.locator('#builder > iframe').count()]).toEqual(['TypeError', 1]);
});

test('in a page of another origin the builder stays hidden, and onError says so after half a minute', async () => {
  await using agency = await agencyPage();
  const session = await openEmbedSession(await embedPair(await owner(), ['https://app.example.com']));
  await agency.page.clock.install();
  await agency.page.goto(agency.origin);
  const loaded = agency.page.evaluate(
    `new Promise((resolve) => new MutationObserver(([change]) => change.addedNodes[0].addEventListener('load', resolve))
      .observe(document.getElementById('builder'), { childList: true })).then(() => undefined)`,
  );
  await agency.show(session.builder_url);
  await loaded;
  expect(await agency.heard(['ready', 'error'])).toEqual([]);
  await agency.page.clock.runFor(30_000);
  expect(await agency.heard(['ready', 'error'])).toEqual([
    ['error', { code: 'no_answer', message: expect.stringContaining('allowed origins') }],
  ]);
});
